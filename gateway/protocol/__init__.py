"""The wire: one Struct for each event, message and input of AG-UI."""
