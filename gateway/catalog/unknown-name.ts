import { readableBy, type CatalogDocument } from './document.ts';
import { ApiError } from '../error.ts';
import { reservedKeys } from '../grammar/query.ts';
import { didYouMean } from '../spelling.ts';

type Asked = { slug: string | number | undefined; roles: readonly string[]; document: CatalogDocument };

/** A refusal of a name that only the gateway knows the like of: a collection's, or that of a parameter, which is taken for a field. */
export function withSuggestion(refused: ApiError, { slug, roles, document }: Asked): ApiError {
  const { status, code, message, details, cause } = refused;
  const field = String(details?.['field']);
  // A refusal that says more has named what was meant already.
  const hint = code === 'NOT_FOUND' ? ofCollection(String(slug), roles, document)
    : code === 'UNKNOWN_FILTER_FIELD' && message.endsWith(` has no field ${field}.`) ? didYouMean([field], reservedKeys)
    : '';
  return hint === '' ? refused : new ApiError(status, code, message + hint, details, { cause });
}

/** Never one that this caller may not read. */
function ofCollection(slug: string, roles: readonly string[], document: CatalogDocument): string {
  if (document.collections.some(collection => collection.slug === slug)) return '';
  return didYouMean([slug], readableBy(document, roles).map(collection => collection.slug));
}
