-- Writers that the table's policies do not restrict have no tenant either: its owner, in a migration, a restore, or
-- in an action of a foreign key. A caller with more than a hundred tenants does not learn which are foreign: the
-- policy decides.
create or replace function service_private.tenant_body(
  collection text, field text, column_name text, type text, bypasses text, tenants text) returns text
  language sql immutable
begin atomic
  select E'\n' || service_private.fill($$
    declare
      tenants text[];
    begin
      if not row_security_active(tg_relid) or <bypasses> then
        return new;
      elsif tg_op = 'UPDATE' then
        if new.<name> is distinct from old.<name> then
          perform service_private.refuse_tenant(<collection>, <field>, 'TENANT_IMMUTABLE');
        end if;
        return new;
      end if;
      tenants := array(
        select distinct t.id
        from (<tenants>) t (id)
        where t.id <> ''
        limit 101);
      if coalesce(new.<name>::text, '') <> '' then
        if new.<name>::text <> all (tenants) and cardinality(tenants) <= 100 then
          perform service_private.refuse_tenant(<collection>, <field>, 'TENANT_MISMATCH');
        end if;
      elsif cardinality(tenants) = 1 then
        <stamp>
      else
        perform service_private.refuse_tenant(<collection>, <field>, 'TENANT_REQUIRED');
      end if;
      return new;
    end
  $$,
  'bypasses', bypasses, 'tenants', tenants, 'name', n.name, 'collection', quote_literal(collection), 'field', quote_literal(field),
  'stamp', case when type in ('text', 'character varying') then format('new.%s := tenants[1];', n.name) else service_private.fill($$
    begin
      new.<name> := tenants[1];
    exception when data_exception then
      -- A claim that cannot be an id here.
      perform service_private.refuse_tenant(<collection>, <field>, 'TENANT_REQUIRED');
    end;
  $$, 'name', n.name, 'collection', quote_literal(collection), 'field', quote_literal(field)) end) || E'\n'
  from (select format('"%s"', replace(column_name, '"', '""'))) n (name);
end;

comment on function service_private.tenant_body(text, text, text, text, text, text) is
  'The PL/pgSQL of the trigger function that puts the caller''s tenant into new rows of a collection and refuses others, and every '
  'change of it. type: the column''s, without length; bypasses, tenants: as of service_private.wanted_tenants().';
