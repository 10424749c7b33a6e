"""What people did in the dashboard, and what undoes it."""
