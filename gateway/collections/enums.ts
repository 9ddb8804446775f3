import { kindOf, type EnumDefinition, type PropertyDefinition, type Report } from './definition.ts';
import { byteLength, IDENTIFIER_BYTES } from './names.ts';

/** The ids of an enum in any of its three spellings, in order. */
export function enumIds(definition: EnumDefinition): (string | number)[] {
  if (!Array.isArray(definition)) return Object.keys(definition);
  return definition.map(item => typeof item === 'object' ? item.id : item);
}

/** The ids as values of the property's type. */
export function enumValues(definition: PropertyDefinition): (string | number)[] {
  const ids = enumIds(definition.enum ?? []);
  return kindOf(definition) === 'number' ? ids.map(Number) : ids;
}

export function checkEnum(definition: PropertyDefinition, path: string, report: Report): void {
  if (definition.enum === undefined) {
    if (definition.type === 'enum') report(path, 'lacks enum, the list of its values');
    return;
  }
  const ids = enumIds(definition.enum);
  const wrong = ids.filter(id => kindOf(definition) === 'number' ? id === '' || !Number.isFinite(Number(id)) : typeof id !== 'string');
  const long = ids.filter(id => byteLength(String(id)) > IDENTIFIER_BYTES);
  if (ids.length === 0) report(`${path}.enum`, 'has no values');
  if (new Set(ids.map(String)).size < ids.length) report(`${path}.enum`, 'names a value twice');
  if (ids.includes('')) report(`${path}.enum`, 'has a value that is empty');
  if (wrong.length > 0) report(`${path}.enum`, `${JSON.stringify(wrong[0])} is not a ${kindOf(definition)}`);
  if (long.length > 0 && kindOf(definition) === 'string') {
    report(`${path}.enum`, `${JSON.stringify(long[0])} is longer than the ${IDENTIFIER_BYTES} bytes of a label`);
  }
}
