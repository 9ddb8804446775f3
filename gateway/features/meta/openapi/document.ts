import { bySlug, type CatalogDocument } from '../../../catalog/document.ts';
import { acrossEntries, acrossTag } from './across.ts';
import { nameCollections, type Named } from './names.ts';
import { operationsOf, type Entry } from './operations.ts';
import type { Limits } from './parameters.ts';
import { failureResponses } from './responses.ts';
import { componentsOf, fixedSchemas } from './schemas.ts';
import { createSharedParameters } from './shared-parameters.ts';

export type OpenApiOptions = Limits & {
  /** Where the routes are: `/api`. */
  basePath: string;
  /** Whether data routes refuse requests without a credential. */
  authRequired: boolean;
};

/**
 * The OpenAPI 3.0.3 document of the data routes that are served. Without collections it is valid and has no paths.
 * The same catalog gives the same document.
 */
export function openApiDocument(catalog: CatalogDocument, options: OpenApiOptions): object {
  const named = nameCollections(bySlug(catalog));
  const targets = new Map(named.map(entry => [entry.collection.slug, entry]));
  const schemas = new Map(named.flatMap(entry => componentsOf(entry, targets)));
  const shared = createSharedParameters();
  const context = { limits: options, shared, targets, schemas };
  const paths = byPath([...named.flatMap(entry => operationsOf(entry, context)), ...acrossEntries(named, context)]);
  return {
    openapi: '3.0.3',
    info: { title: 'Data API', version: '1.0.0' },
    servers: [{ url: options.basePath || '/' }],
    // The empty one is a visitor.
    security: [...(options.authRequired ? [] : [{}]), { bearerAuth: [] }],
    tags: [...named.map(tagOf), ...(named.length > 0 ? [acrossTag] : [])],
    paths,
    components: {
      schemas: { ...fixedSchemas, ...Object.fromEntries(schemas) },
      parameters: shared.components(),
      responses: failureResponses,
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function tagOf({ tag, collection: { slug, description } }: Named): object {
  return { name: tag, description: description ?? `At \`/data/${slug}\`.` };
}

/** Path Item Objects: the methods of one path together. */
function byPath(entries: Entry[]): Record<string, object> {
  const paths: Record<string, object> = {};
  for (const { path, method, operation } of entries) paths[path] = { ...paths[path], [method]: operation };
  return paths;
}
