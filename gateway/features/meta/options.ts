import type { CatalogDocument } from '../../catalog/document.ts';
import type { AdminScope } from '../../config/scopes.ts';
import type { Call } from '../../http/route.ts';
import type { OpenApiOptions } from './openapi/document.ts';

export type MetaOptions = {
  /** The catalog as it is now; another object when it has changed. */
  catalog: () => CatalogDocument;
  /** Another object when the catalog or a served function may have changed. */
  served: () => object;
  /** In production the document is for admins. */
  openApi: OpenApiOptions & { production: boolean };
  /** @throws ApiError 401 without a caller, 403 for an API key without the right to read. */
  requireReader: (call: Call) => Promise<{ roles: readonly string[] }>;
  /** service.contract(), as text. @throws ApiError 503 while the database is away. */
  readContract: () => Promise<string>;
  /** @throws ApiError 401 or 403 for a caller without it. */
  requireScope: (call: Call, scope: AdminScope) => Promise<unknown>;
};
