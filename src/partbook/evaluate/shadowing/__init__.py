"""The running verdict on a system that answers live requests in secret.

shadow.py          the verdict, and when it may be said
sequential.py      its interval, which holds at any time
shadow_journal.py  its file
"""
