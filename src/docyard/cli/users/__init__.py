"""Commands for users, their roles and sign-in links."""
