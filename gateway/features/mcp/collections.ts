import { bySlug, readableBy, type CatalogDocument, type Collection, type Property } from '../../catalog/document.ts';
import { covers, type DataScope } from '../../config/scopes.ts';
import { scopesOf, type Caller } from '../../identity/caller.ts';

/** A collection as an agent may use it. */
type Reached = Pick<Collection, 'slug' | 'name' | 'description' | 'relations'> & { fields: Property[] };

/** Whether some collection is within the agent's reach. */
export function holds(agent: Caller, scope: DataScope): boolean {
  return scopesOf(agent)?.some(held => held === scope || held.startsWith(`${scope}:`)) ?? false;
}

/** The collections that an agent may use so, by slug, with the fields that it reads, or writes. Rows are row security's matter. */
export function reachedBy(document: CatalogDocument, agent: Caller, scope: DataScope): Reached[] {
  const isRead = scope === 'data:read';
  const within = new Set(readableBy(document, agent.roles).filter(({ slug, readOnly }) =>
    (isRead || !readOnly) && covers(scopesOf(agent) ?? [], scope, slug)).map(({ slug }) => slug));
  return bySlug(document).filter(({ slug }) => within.has(slug)).map(({ slug, name, description, relations, properties }) => ({
    slug, name, description, relations: relations.filter(({ target }) => within.has(target)),
    fields: properties.filter(({ readRoles, writeRoles, generated }) =>
      isOpen(isRead ? readRoles : writeRoles, agent.roles) && (isRead || !generated)),
  }));
}

/** As service_private.is_open says it. */
function isOpen(listed: readonly string[] | null, roles: readonly string[]): boolean {
  return listed === null || listed.some(role => roles.includes(role)) || (roles.includes('admin') && listed.length > 0);
}

/** The answer of list_collections. */
export function collectionList(document: CatalogDocument, agent: Caller): object {
  return {
    collections: reachedBy(document, agent, 'data:read').map(({ slug, name, description, fields, relations }) => ({
      name: slug, title: name, description,
      fields: fields.map(({ name, type, attributes: { description = null, enum: values } }) =>
        ({ name, type, title: titleOf(name), description, ...(values !== undefined && { values }) })),
      relations: relations.map(({ name, target, single }) => ({ name, collection: target, many: !single })),
    })),
  };
}

/** "Order id", of orderId and of order_id. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/([a-z\d])([A-Z])/g, '$1 $2').trim().toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
