/** Settings under which the planner makes as many kinds of plans as it can. */
export const PLANNERS: Record<string, string>[] = [
  { plan_cache_mode: 'force_generic_plan' },
  { plan_cache_mode: 'force_custom_plan' },
  { plan_cache_mode: 'force_generic_plan', geqo_threshold: '2' },
  { plan_cache_mode: 'force_custom_plan', enable_nestloop: 'off', enable_indexscan: 'off', enable_bitmapscan: 'off' },
  { plan_cache_mode: 'force_custom_plan', enable_hashjoin: 'off', enable_mergejoin: 'off', enable_seqscan: 'off' },
];
