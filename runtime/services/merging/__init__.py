"""The three-way merge of the content of spaces: functions without input or output."""
