create or replace function service_private.bulk_answer(served service.collections, shape jsonb, roles text[]) returns text
  language sql stable
begin atomic
  select service_private.fill('
    (
      select to_json(<row>)::text
      from (
        select
          <columns>
      ) d
    ) as body',
    'row', case when shape ? 'return' and cardinality(served.key) = 1 then format('d.%I', served.key[1]) else 'd' end,
    'columns', array_to_string(service_private.shown_columns(served.slug, 't',
      case when shape ? 'return' then jsonb_build_object('fields', to_jsonb(served.key)) else shape - 'body' end, roles), E',\n'));
end;

comment on function service_private.bulk_answer(service.collections, jsonb, text[]) is
  'SQL text of what a bulk write answers of a row, t: the row as these roles read it, or with return=minimal its id (of a key of '
  'several columns an object), as JSON.';
