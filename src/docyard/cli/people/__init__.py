"""Commands for people, their roles and sign-in links."""
