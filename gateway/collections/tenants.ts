import { type PropertyRow } from '../catalog/rows.ts';
import { type Definition, type Membership, type Report, type TenantDefinition } from './definition.ts';
import { rowOfColumn } from './links.ts';
import { columnOfProperty, type Model } from './model.ts';

/** A tenant block as the catalog has it, with everything that a file may leave out. */
export function tenantOf({ tenant }: Definition): Required<TenantDefinition> | undefined {
  return tenant && { bypassRoles: ['admin'], ...tenant };
}

/** What says who the caller is, in a token or in service.jwt(): it is no tenant. */
const OWN_CLAIMS = new Set(['uid', 'sub', 'roles', 'aal', 'isAnonymous', 'is_anonymous']);

/** Checks a collection's tenant block, and marks the property that it names: never empty, and never asked for. */
export function keepTenants(model: Model, models: ReadonlyMap<string, Model>, unreadable: ReadonlySet<string>, report: Report): void {
  const { tenant } = model.definition;
  if (tenant === undefined) return;
  const path = `${model.path}.tenant`;
  const row = idOf(model, tenant.field, `${path}.field`, report);
  if (row !== undefined) {
    const { default: value, identity, stamp } = row.attributes.column;
    if (value !== null || identity || stamp !== null) {
      report(`${path}.field`, `${tenant.field} has a value of its own in a new row, so no tenant could be put there`);
    }
    row.not_null = true;
    row.required = false;
    row.attributes.tenant = true;
  }
  if ('membership' in tenant.from) return checkMembership(tenant.from.membership, model, models, unreadable, report);
  const { claim } = tenant.from;
  if (OWN_CLAIMS.has(claim)) report(`${path}.from.claim`, `${claim} says who the caller is, not which tenant`);
}

function checkMembership(
  { collection, userField, tenantField }: Membership, model: Model, models: ReadonlyMap<string, Model>, unreadable: ReadonlySet<string>,
  report: Report,
): void {
  const path = `${model.path}.tenant.from.membership`;
  const members = models.get(collection);
  if (members === undefined) {
    if (!unreadable.has(collection)) report(`${path}.collection`, `there is no collection ${JSON.stringify(collection)}`);
    return;
  }
  if (members === model) report(`${path}.collection`, 'who belongs where cannot be read from rows that belong to tenants by it');
  idOf(members, userField, `${path}.userField`, report);
  idOf(members, tenantField, `${path}.tenantField`, report);
}

/** The column of a property that can hold an id: a string, a number, or the foreign key of a belongsTo. */
function idOf(model: Model, name: string, path: string, report: Report): PropertyRow | undefined {
  if (model.broken.has(name)) return undefined;
  const column = columnOfProperty(model, name);
  const row = column === undefined ? undefined : rowOfColumn(model, column);
  if (row === undefined) return report(path, `${model.slug} has no property ${name} with a column`) ?? undefined;
  if (row.type !== 'string' && row.type !== 'number') {
    return report(path, `${name} is of type ${row.type}; a string, a number or a belongsTo holds an id`) ?? undefined;
  }
  return row;
}
