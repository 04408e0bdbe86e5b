"""The `unitai` command."""
