"""Uploading a published folder to the Hugging Face Hub.

In: a folder and the name of a repository. Out: one commit there, or a list of what it would change.
``merula publish --push`` calls ``push``, which compares the folder with the ``repository``, and
tries again after ``faults`` that pass.
"""
