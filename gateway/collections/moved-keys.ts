const KINDS = 'kind (belongsTo, hasOne, hasMany, manyToMany)';

/** Keys of older or neighbouring spellings, by where they stand, with what takes their place. */
const moved: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  collection: new Map(Object.entries({
    id: 'slug', tableName: 'table', dbPath: 'table', fields: 'properties', columns: 'properties', label: 'name', pluralName: 'name',
    singularLabel: 'singularName', rules: 'securityRules', policies: 'securityRules', rls: 'securityRules',
    permissions: 'securityRules', defaultSecurityRules: 'defaultSecurityRules in _defaults.json', hooks: 'callbacks',
    icon: 'admin.icon', group: 'admin.group', hideFromNavigation: 'admin.hideFromNavigation',
    previewProperties: 'admin.previewProperties', titleProperty: 'admin.titleProperty', defaultSize: 'admin.defaultSize',
    inlineEditing: 'admin.inlineEditing',
  })),
  property: new Map(Object.entries({
    dataType: 'type', label: 'name', title: 'name', column: 'columnName', default: 'defaultValue', enumValues: 'enum', values: 'enum',
    primaryKey: 'isId', isPrimaryKey: 'isId', required: 'validation.required', unique: 'validation.unique', min: 'validation.min',
    max: 'validation.max', matches: 'validation.matches', pattern: 'validation.matches', minLength: 'validation.min',
    maxLength: 'validation.max', integer: 'validation.integer', requiredMessage: 'validation.requiredMessage',
    readOnly: 'access.write, or admin.readOnly for forms', disabled: 'admin.disabled',
    hideFromCollection: 'admin.hideFromCollection', hidden: 'excludeFromApi', target: 'relation.target', kind: 'relation.kind',
    through: 'relation.through', localKey: 'relation.localKey', foreignKeyOnTarget: 'relation.foreignKeyOnTarget',
    read: 'access.read', write: 'access.write', multiline: 'admin.multiline', markdown: 'admin.markdown',
  })),
  validation: new Map(Object.entries({
    email: 'email of the property', url: 'url of the property', pattern: 'matches', minLength: 'min', maxLength: 'max',
    minimum: 'min', maximum: 'max', message: 'requiredMessage or matchesMessage',
  })),
  relation: new Map(Object.entries({
    cardinality: KINDS, direction: KINDS, type: 'kind', collection: 'target',
    foreignKey: 'localKey (belongsTo) or foreignKeyOnTarget (hasOne, hasMany)',
    inverseRelationName: 'a relation of its own on the target', junction: 'through', name: 'relationName',
  })),
  rule: new Map(Object.entries({ owner: 'ownerField', role: 'roles', op: 'operation', expression: 'using' })),
};

/** The replacement of a key that moved or was renamed. */
export function replacement(scope: string, key: string): string | undefined {
  return moved[scope]?.get(key);
}
