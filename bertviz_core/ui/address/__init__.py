"""What the address says beside the fields: keys of any version, and a frame of another site."""
