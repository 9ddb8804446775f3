/** Parameters of a read that are no filter. */
export const reserved = ['limit', 'offset', 'page', 'after', 'orderBy', 'include', 'fields', 'distinct', 'searchString', 'searchExplain',
  'vector_search', 'vector',
  'vector_distance', 'vector_threshold', 'or', 'and', 'not', 'where', 'select', 'groupBy', 'deleted', 'hard', 'explain'];
