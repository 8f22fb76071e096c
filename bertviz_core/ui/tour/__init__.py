"""The guided tour: its stops on Home, each with a claim and the view that settles it."""
