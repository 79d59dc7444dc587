"""The built browser assets, as package data in `dist/`."""
