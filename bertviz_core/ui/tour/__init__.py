"""The guided tour: twelve stops on Home, each with a claim and the view that settles it."""
