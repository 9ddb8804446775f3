/** How a list goes on. */
import type { Meta } from './result.ts';

/** The members of a query that are other ones for its next page. */
export interface NextPage {
  after?: string | undefined;
  offset?: number | undefined;
}

/** Rows by rank, distinct rows and the nearest ones have no cursor: their next page is counted from the first row. */
export function nextPage({ meta: { hasMore, nextCursor: after, offset, limit } }: { meta: Omit<Meta, 'total'> }): NextPage | undefined {
  if (hasMore) return { after, offset: after ? undefined : offset + limit };
}
