"""The same BERT in other software: whose ids, vectors and cuts differ, and files in stores."""
