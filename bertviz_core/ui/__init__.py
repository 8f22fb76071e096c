"""What the pages share in Streamlit: frame, inputs, caches, and how results look."""
