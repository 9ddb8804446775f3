import { type PropertyType } from '../catalog/document.ts';
import { type ElementAttributes, type ValueAttributes } from '../catalog/rows.ts';
import { problemOfDefault } from './defaults.ts';
import { kindOf, type PropertyDefinition, type Report } from './definition.ts';
import { checkEnum, enumValues } from './enums.ts';
import { isObject } from './json-file.ts';
import { refuseOfPart } from './not-built.ts';

/**
 * Labels and rules of a property, or of a part of one; parts of arrays and maps within.
 * @param unfilled why its parts can have no defaults
 */
export function valueAttributes(definition: PropertyDefinition, path: string, report: Report, unfilled?: string): ValueAttributes {
  const { name, description, validation, email, url, of, properties, keyValue } = definition;
  const kind = kindOf(definition);
  const inMap = unfilled ?? unfilledMap(definition);
  checkEnum(definition, path, report);
  checkRules(definition, path, report);
  return {
    ...(name !== undefined && { label: name }),
    ...(description !== undefined && { description }),
    ...(definition.enum !== undefined && { enum: enumValues(definition) }),
    ...(validation !== undefined && { validation: { ...validation } }),
    ...(validation?.requiredMessage !== undefined && { requiredMessage: validation.requiredMessage }),
    ...(email === true && { email, format: 'email' }),
    ...((url === true || url === 'url') && { url: true, format: 'uri' }),
    ...(kind === 'array' && isObject(of) && { of: part(of, `${path}.of`, report, 'what stands in an array is stored as it was sent') }),
    ...(kind === 'map' && isObject(properties) && { properties: parts(properties, `${path}.properties`, report, inMap) }),
    ...(keyValue === true && { keyValue }),
  };
}

function parts(
  properties: Record<string, PropertyDefinition>, path: string, report: Report, unfilled?: string,
): Record<string, ElementAttributes> {
  return Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, part(inner, `${path}.${key}`, report, unfilled)]));
}

/** A create fills in the parts that a map lacks, unless it has something better to say. */
function unfilledMap({ defaultValue, columnType }: PropertyDefinition): string | undefined {
  if (hasValue(defaultValue)) return 'the map has a default of its own, so this one would never be used';
  return columnType === 'json' ? 'json is stored as it was sent; without columnType the column is jsonb' : undefined;
}

const hasValue = (value: unknown): boolean => value !== undefined && value !== null;

function part(definition: PropertyDefinition, path: string, report: Report, unfilled?: string): ElementAttributes {
  const { defaultValue } = definition;
  refuseOfPart(path, definition, report);
  const problem = hasValue(defaultValue) ? unfilled ?? problemOfDefault(definition) : undefined;
  if (problem !== undefined) report(`${path}.defaultValue`, problem);
  const type = kindOf(definition);
  if (type === 'relation' || type === 'reference') {
    report(path, `a ${type} is a column with a foreign key, and there is none inside an array or a map`);
  }
  const attributes = { type: type as PropertyType, ...valueAttributes(definition, path, report, unfilled) };
  return hasValue(defaultValue) ? { ...attributes, defaultValue } : attributes;
}

/** Rules that no value can meet. */
function checkRules({ validation, ...definition }: PropertyDefinition, path: string, report: Report): void {
  const { min, max, moreThan, lessThan, length } = validation ?? {};
  const kind = kindOf(definition);
  const at = `${path}.validation`;
  const size = (bound: string | number): string | number => kind === 'date' ? Date.parse(String(bound)) : bound;
  if (min !== undefined && max !== undefined && size(min) > size(max)) report(`${at}.min`, `is above max (${max})`);
  if (moreThan !== undefined && lessThan !== undefined && moreThan >= lessThan) {
    report(`${at}.moreThan`, `leaves nothing below lessThan (${lessThan})`);
  }
  if (length !== undefined && (length < Number(min ?? 0) || length > Number(max ?? length))) {
    report(`${at}.length`, 'is outside min and max');
  }
  for (const [key, bound] of Object.entries({ min, max })) {
    if (kind === 'date' && bound !== undefined && Number.isNaN(Date.parse(String(bound)))) report(`${at}.${key}`, 'is not a date');
  }
}
