// The pragmas that sqld allows, so that statements behave the same there (libsql-server, query_analysis.rs).
const WITH_ARGUMENT = new Set([
  ...["table_list", "index_list", "table_info", "table_xinfo", "index_info", "index_xinfo", "pragma_list"],
  ...["compile_options", "database_list", "function_list", "module_list", "encoding", "defer_foreign_keys"],
  ...["foreign_keys", "foreign_key_list", "foreign_key_check", "collation_list", "data_version", "freelist_count"],
  ...["integrity_check", "legacy_file_format", "page_count", "quick_check", "stats", "user_version"],
])

const WITHOUT_ARGUMENT = new Set([
  ...[
    "analysis_limit",
    "application_id",
    "auto_vacuum",
    "automatic_index",
    "busy_timeout",
    "cache_size",
    "cache_spill",
  ],
  ...["cell_size_check", "checkpoint_fullfsync", "fullfsync", "hard_heap_limit", "journal_mode", "journal_size_limit"],
  ...[
    "legacy_alter_table",
    "locking_mode",
    "max_page_count",
    "mmap_size",
    "page_size",
    "query_only",
    "read_uncommitted",
  ],
  ...["recursive_triggers", "reverse_unordered_selects", "schema_version", "secure_delete", "soft_heap_limit"],
  ...["synchronous", "temp_store", "threads", "trusted_schema", "wal_autocheckpoint"],
])

/** Whether a pragma may run. Pragmas that change the connection may only be read. */
export function isPragmaAllowed(name: string, hasArgument: boolean): boolean {
  return WITH_ARGUMENT.has(name) || (!hasArgument && WITHOUT_ARGUMENT.has(name))
}
