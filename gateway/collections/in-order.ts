import { isObject, type JsonObject } from '../json/json-file.ts';

/** A definition that says in lists what jsonb would forget: the order of properties, and that of an enum given as an object of labels. */
export function inOrder(definition: JsonObject): JsonObject {
  const { relations } = definition;
  return {
    ...withProperties(definition),
    ...(Array.isArray(relations) && { relations: relations.map(relationInOrder) }),
  };
}

function withProperties(holder: JsonObject): JsonObject {
  const { properties } = holder;
  if (!isObject(properties)) return holder;
  const inside = Object.entries(properties).map(([name, property]) => [name, isObject(property) ? propertyInOrder(property) : property]);
  return { ...holder, properties: Object.fromEntries(inside) as JsonObject, propertiesOrder: Object.keys(properties) };
}

function propertyInOrder(property: JsonObject): JsonObject {
  const { enum: values, of, oneOf, relation } = property;
  return {
    ...withProperties(property),
    ...(isObject(values) && { enum: Object.entries(values).map(([id, label]) => ({ id, label })) }),
    ...(isObject(of) && { of: propertyInOrder(of) }),
    ...(isObject(oneOf) && { oneOf: withProperties(oneOf) }),
    ...(relation !== undefined && { relation: relationInOrder(relation) }),
  };
}

/** Anything but a relation stays as it is. */
function relationInOrder(relation: unknown): unknown {
  const through = isObject(relation) ? relation['through'] : undefined;
  return isObject(relation) && isObject(through) ? { ...relation, through: withProperties(through) } : relation;
}
