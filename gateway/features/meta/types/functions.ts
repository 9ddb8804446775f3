import type { Endpoint } from '../../../catalog/endpoints.ts';
import type { PropertyType } from '../../../catalog/document.ts';
import { byName, comment, memberName, objectText, union } from './text.ts';
import { valueType } from './values.ts';

type Typed = { name: string; type: PropertyType; sqlType: string };
/** An endpoint as the contract has it (service_private.endpoint_document). */
export type ContractEndpoint = Endpoint & {
  description?: string;
  bodyRequired?: boolean;
  returns: Endpoint['returns'] & { type?: PropertyType; sqlType?: string; properties?: Typed[] };
};

/** The members of `functions`: arguments and result of each. */
export function functionsText(endpoints: readonly ContractEndpoint[], rowOf: (slug: string) => string): string {
  return byName(endpoints).map(endpoint => {
    const types = objectText([{ name: 'args', type: argsOf(endpoint) }, { name: 'result', type: resultOf(endpoint, rowOf) }]);
    return `${comment(endpoint.description, '    ')}    ${memberName(endpoint.name)}: ${types};\n`;
  }).join('');
}

function argsOf({ body, arguments: list }: ContractEndpoint): string {
  if (body !== undefined) return 'Json';
  return objectText(list.map(({ name, type, sqlType, required }) =>
    ({ name, type: `${valueType({ type, sqlType, attributes: {} }, 'write')} | null`, optional: !required })));
}

/** A function may return null for any value, whatever its type. */
function resultOf({ returns }: ContractEndpoint, rowOf: (slug: string) => string): string {
  const { kind, collection, properties = [], type = 'string', sqlType = '' } = returns;
  if (kind === 'void') return 'undefined';
  if (kind === 'value') return union([typeOf({ name: '', type, sqlType }), 'null']);
  const row = collection === undefined
    ? objectText(properties.map(property => ({ name: property.name, type: `${typeOf(property)} | null` }))) : rowOf(collection);
  return kind === 'row' ? `${row} | null` : `${row}[]`;
}

function typeOf({ type, sqlType }: Typed): string {
  return valueType({ type, sqlType, attributes: {} }, 'read');
}
