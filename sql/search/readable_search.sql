-- The generated column contains every field of the block. For callers that may not read one of them the search uses
-- an expression over the others: else its words could be guessed one by one. While the column is missing, or is of an
-- older block, every search does, as far as that works without the extensions.
create or replace function service_private.readable_search(collection text, roles text[]) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  block jsonb := service_private.search_block(collection);
  fields jsonb := block -> 'fields';
  ready boolean := coalesce((
    select bool_and(w.ready) from service_private.wanted_search_columns() w where w.collection = readable_search.collection), false);
  finder record;
  relation pg_class;
begin
  if block is null then
    return null;
  elsif not ready then
    block := block || jsonb_build_object('config', block -> 'language', 'folds', false, 'fuzzy', false);
  end if;
  block := block || jsonb_build_object('fields', coalesce((
    select jsonb_agg(f.field order by f.n)
    from jsonb_array_elements(fields) with ordinality f (field, n)
    join service.properties p on p.collection = readable_search.collection and p.name = split_part(f.field ->> 'path', '.', 1)
    where not p.excluded and service_private.unmasked(p, roles)
      and service_private.reached_part(service_private.closed_parts_of(p, roles, 'read'),
        service_private.literal_path((string_to_array(f.field ->> 'path', '.'))[2:])) = 'open'), '[]'));
  if not ready or block -> 'fields' <> fields then
    return block || jsonb_build_object('vector', service_private.search_vector(collection, block, 't.'),
      'folded', service_private.search_text(collection, block, 't.'));
  end if;
  block := block || jsonb_build_object('vector', 't.' || quote_ident(block ->> 'column'),
    'folded', 't.' || quote_ident(block ->> 'textColumn'));
  select c.* into relation from pg_class c where c.oid = to_regclass(service_private.table_name(collection));
  select f.name into finder
  from service_private.search_finder(collection) f
  join pg_proc p on p.proname = f.name and p.prosrc = f.body
    and p.pronamespace = (select n.oid from pg_namespace n where n.nspname = 'service_private')
  join pg_roles r on r.oid = p.proowner and r.rolname = current_user;
  if finder.name is not null and service_private.hides_rows(relation.oid) and not row_security_active(relation.oid) then
    -- A place is unique in one table; in a partitioned one the condition is asked again.
    block := block || jsonb_build_object('finder', format('service_private.%I', finder.name), 'exact', relation.relkind = 'r');
  end if;
  return block;
end $$;

comment on function service_private.readable_search(text, text[]) is
  'The search block of a collection (service_private.search_block) as holders of these roles search it: fields that they may read, vector '
  'and folded (SQL text over a row t), and finder, the function whose index search row security cannot take part in (exact: it '
  'finds nothing else); null without a search block. To be called with the rights that the generated functions have.';
