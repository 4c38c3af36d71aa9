"""What each family of events does to the messages of a thread; `reducer.Reducer` is the entry."""
