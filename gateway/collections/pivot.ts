import { type PivotProperty } from '../catalog/rows.ts';
import { kindOf, type PropertyDefinition, type Report } from './definition.ts';
import { columnRow } from './model.ts';
import { snakeCase } from './names.ts';
import { refuseOfProperty } from './not-built.ts';

type Junction = { path: string; table: string; schema: string };

/** The junction's own columns. Who may see a link may see all of it, so they have no access lists. */
export function pivotOf(properties: Record<string, PropertyDefinition>, junction: Junction, report: Report): PivotProperty[] {
  return Object.entries(properties).flatMap(([name, definition], i) => {
    const path = `${junction.path}.${name}`;
    refuseOfProperty(path, definition, report);
    const kind = kindOf(definition);
    if (kind === 'relation' || kind === 'reference') {
      return report(path, `a junction leads to its two ends; for a ${kind} make it a collection of its own`) ?? [];
    }
    if (definition.isId !== undefined && definition.isId !== false) report(`${path}.isId`, 'the key of a junction is both its ends');
    if (definition.access !== undefined || definition.excludeFromApi !== undefined) {
      report(path, 'who sees a link sees all of it; for access lists make the junction a collection of its own');
    }
    const columnName = definition.columnName ?? snakeCase(name);
    const place = { ...junction, name, columnName, path, isKey: false, unfilled: 'what stands in a junction is stored as it was sent' };
    const { type, sql_type: sqlType, not_null: notNull, required, attributes } = columnRow(definition, place, report);
    return [{ name, columnName, position: i + 1, type, sqlType, notNull, required, attributes }];
  });
}
