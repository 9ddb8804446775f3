import { bySlug, readableBy, type CatalogDocument, type Collection } from '../../catalog/document.ts';
import { requireCollections } from '../../catalog/require-collections.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { acceptsHtml } from './accepts-html.ts';
import { contractOncePerCatalog } from './contract.ts';
import { openApiDocument } from './openapi/document.ts';
import type { MetaOptions } from './options.ts';

export function metaRoutes({ catalog, served, openApi, readContract, requireReader, requireScope }: MetaOptions): Route[] {
  const document = oncePerCatalog(current => JSON.stringify(openApiDocument(current, openApi)));
  const contract = contractOncePerCatalog(served, readContract);
  const indented = oncePerCatalog(current => JSON.stringify(openApiDocument(current, openApi), null, 2));

  return [
    { method: 'GET', path: '/docs', handle: docs },
    { method: 'GET', path: '/data/collections', handle: list },
    { method: 'GET', path: '/meta/schema-version', handle: () => schemaVersion(catalog()) },
    { method: 'GET', path: '/meta/contract', handle: wholeContract },
  ];

  async function docs(call: Call): Promise<Reply> {
    if (openApi.production) await requireScope(call, 'schema:read');
    return { headers: { Vary: 'Accept' }, body: (acceptsHtml(call) ? indented : document)(catalog()) };
  }

  async function wholeContract(call: Call): Promise<Reply> {
    await requireScope(call, 'schema:read');
    return { headers: { 'Cache-Control': 'no-store' }, body: await contract() };
  }

  async function list(call: Call): Promise<Reply> {
    const current = catalog();
    requireCollections(current);
    const { roles } = await requireReader(call);
    return { body: JSON.stringify(collectionList(current, roles)) };
  }
}

/** The stamp is a header too, where clients compare it without reading the body. */
function schemaVersion({ schemaVersion }: CatalogDocument): Reply {
  return { headers: { 'x-schema-version': schemaVersion }, body: JSON.stringify({ schemaVersion }) };
}

/** Keeps the text of the newest catalog: it is large, and the same until the catalog is replaced. */
function oncePerCatalog(write: (catalog: CatalogDocument) => string): (catalog: CatalogDocument) => string {
  let newest: { catalog: CatalogDocument; text: string } | undefined;
  return catalog => {
    if (newest?.catalog !== catalog) newest = { catalog, text: write(catalog) };
    return newest.text;
  };
}

/** `{"data":[{slug, name, singularName, description?, primaryKey, schemaVersion}]}`: what these roles may see rows of, by slug. */
function collectionList(catalog: CatalogDocument, roles: readonly string[]): object {
  const collections = readableBy(catalog, roles);
  return { data: bySlug({ ...catalog, collections }).map(collection => entry(collection, catalog.schemaVersion)) };
}

/** `primaryKey` is a name; of a composite key the list of its names. */
function entry({ slug, name, singularName, description, key }: Collection, schemaVersion: string): object {
  return {
    slug, name, singularName,
    ...(description !== null && { description }),
    primaryKey: key.length === 1 ? key[0] : key,
    schemaVersion,
  };
}
