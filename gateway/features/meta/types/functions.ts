import type { Endpoint } from '../../../catalog/endpoints.ts';
import type { PropertyType } from '../../../catalog/document.ts';
import type { Direction } from '../openapi/values.ts';
import { byName, comment, EMPTY, keyName, literal, memberName, objectText, union, type Member } from './text.ts';
import { isExact, kindOf, valueType } from './values.ts';

/** `composite`: a row, or an array of rows. `enum`: the values of an enum, or of the elements of an array. */
type Typed = { name: string; type: PropertyType; sqlType: string; composite?: true; enum?: string[]; comparison?: 'none' | 'order' };
/** An endpoint as the contract has it (service_private.endpoint_document). */
export type ContractEndpoint = Endpoint & {
  description?: string;
  bodyRequired?: boolean;
  arguments: (Endpoint['arguments'][number] & Typed)[];
  returns: Endpoint['returns'] & Partial<Omit<Typed, 'name'>> & { properties?: Typed[] };
};

/** The members of `functions`: the arguments of each, and its value, its row or its set of rows. */
export function functionsText(endpoints: readonly ContractEndpoint[], collectionOf: (slug: string) => string): string {
  return byName(endpoints).map(endpoint => {
    const types = objectText([{ name: 'args', type: argsOf(endpoint) }, resultOf(endpoint, collectionOf)]);
    return `${comment(endpoint.description, '    ')}    ${memberName(endpoint.name)}: ${types};\n`;
  }).join('');
}

function argsOf({ body, arguments: list }: ContractEndpoint): string {
  if (body !== undefined) return 'Json';
  if (list.length === 0) return EMPTY;
  return objectText(list.map(argument =>
    ({ name: argument.name, type: `${typeOf(argument, 'write')} | null`, optional: !argument.required })));
}

/** A function may return null for any value, whatever its type. Rows of no table are described as those of a collection are. */
function resultOf({ returns }: ContractEndpoint, collectionOf: (slug: string) => string): Member {
  const { kind, collection, properties = [], type = 'string', sqlType = '' } = returns;
  if (kind === 'void') return { name: 'value', type: 'undefined' };
  if (kind === 'value') return { name: 'value', type: union([typeOf({ ...returns, type, sqlType }, 'read'), 'null']) };
  if (collection !== undefined) return { name: kind, type: collectionOf(collection) };
  return {
    name: kind, type: objectText([
      { name: 'row', type: objectText(properties.map(property => ({ name: property.name, type: `${typeOf(property, 'read')} | null` }))) },
      { name: 'key', type: 'never' },
      { name: 'fields', type: objectText(properties.map(({ comparison, ...property }) =>
        ({ name: property.name, type: literal(kindOf({ ...property, attributes: comparison ? { comparison } : {} })) }))) },
      { name: 'relations', type: '{}' },
    ]),
  };
}

function typeOf({ type, sqlType, composite, enum: values }: Omit<Typed, 'name'>, direction: Direction): string {
  const listed = values && (type === 'array' ? { elementEnum: values } : { enum: values });
  return valueType({ type, sqlType, attributes: { ...composite && { composite }, ...listed } }, direction);
}

/** The same at run time: whether a call only reads, and which numbers of its answer are exact. */
export function functionFacts(endpoints: readonly ContractEndpoint[]): string {
  return byName(endpoints).map(({ name, volatility, returns }) => {
    const { kind, collection, properties = [], type = 'string', sqlType = '' } = returns;
    const columns = kind === 'value' ? [{ name: kind, type, sqlType }] : properties;
    const digits = columns.filter(isExactColumn).map(column => literal(column.name));
    const rows = collection === undefined ? `{ digits: [${digits.join(', ')}] }` : literal(collection);
    const members = [
      ...volatility === 'volatile' ? [] : ['reads: true'],
      ...collection === undefined && digits.length === 0 ? [] : [`${kind}: ${rows}`],
    ];
    return `    ${keyName(name)}: ${members.length === 0 ? '{}' : `{ ${members.join(', ')} }`},\n`;
  }).join('');
}

function isExactColumn({ type, sqlType }: Typed): boolean {
  return (type === 'number' || type === 'array') && isExact(sqlType);
}
