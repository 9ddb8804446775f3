import type { Report } from '../json/form.ts';
import { isObject, type JsonObject } from '../json/json-file.ts';

type Refusals = Readonly<Record<string, { when?: (value: unknown) => boolean; why: string }>>;

const isOn = (value: unknown): boolean => value !== false && value !== undefined && value !== null;
const never = (why: string) => ({ when: isOn, why });

/** Keys whose effect would be lost silently if they were ignored. */
const ofCollection: Refusals = {
  dataSource: { when: value => value !== '(default)', why: 'there is one database; leave it out or say "(default)"' },
  engine: { when: value => value !== 'postgres', why: 'only postgres is served' },
  childCollections: never('of document databases; use relations'),
  subcollections: never('of document databases; use relations'),
  path: never('of document databases; use table'),
};
const ofProperty: Refusals = {
  callbacks: never('a row has callbacks, a property has none; declare them of the collection'),
};
const ofPivot: Refusals = {
  ...ofProperty,
  storage: never('a link holds no files; make its table a collection of its own'),
};
/** Keys that only a property of the row itself can have: inside an array or a map there is no column. */
const ofPart: Refusals = {
  ...ofProperty,
  isId: never('only a property of the row can be its key'),
  columnName: never('there is no column inside an array or a map'),
  columnType: never('there is no column inside an array or a map'),
  autoValue: never('a stamp is a column, and there is none inside an array or a map'),
};

/** Checks a collection, its properties, their parts and the columns of its junctions. */
export function refuseOfCollection(path: string, collection: JsonObject, report: Report): void {
  refuse(ofCollection, path, collection, report);
  refuseOfProperties(`${path}.properties`, collection['properties'], report);
  for (const [i, relation] of listed(collection['relations']).entries()) refuseOfRelation(`${path}.relations[${i}]`, relation, report);
}

function refuseOfProperties(path: string, properties: unknown, report: Report, refusals = ofProperty): void {
  for (const [name, property] of entries(properties)) {
    refuse(refusals, `${path}.${name}`, property, report);
    refuseOfParts(`${path}.${name}`, property, report);
    refuseOfRelation(`${path}.${name}.relation`, property['relation'], report);
  }
}

function refuseOfRelation(path: string, relation: unknown, report: Report): void {
  const through = isObject(relation) ? relation['through'] : undefined;
  if (isObject(through)) refuseOfProperties(`${path}.through.properties`, through['properties'], report, ofPivot);
}

/** Checks the inside of an array or a map. */
function refuseOfParts(path: string, { of, oneOf, properties }: JsonObject, report: Report): void {
  const elements: [string, JsonObject][] = isObject(of) ? [[`${path}.of`, of]] : [];
  const blocks = isObject(oneOf) ? partsOf(`${path}.oneOf`, oneOf['properties']) : [];
  for (const [at, part] of [...elements, ...blocks, ...partsOf(path, properties)]) {
    refuse(ofPart, at, part, report);
    if (isObject(part['validation']) && isOn(part['validation']['unique'])) {
      report(`${at}.validation.unique`, 'there is no column inside an array or a map; uniqueInArray is for arrays');
    }
    refuseOfParts(at, part, report);
  }
}

function partsOf(path: string, properties: unknown): [string, JsonObject][] {
  return entries(properties).map(([name, part]) => [`${path}.properties.${name}`, part]);
}

function entries(holder: unknown): [string, JsonObject][] {
  return isObject(holder) ? Object.entries(holder).filter((entry): entry is [string, JsonObject] => isObject(entry[1])) : [];
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function refuse(refusals: Refusals, path: string, given: JsonObject, report: Report): void {
  for (const [key, { when = isOn, why }] of Object.entries(refusals)) {
    if (Object.hasOwn(given, key) && when(given[key])) report(`${path}.${key}`, why);
  }
}
