"""What people see and programs call: pages, the API, live events; the only part that speaks HTTP."""
