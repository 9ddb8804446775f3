-- array(…) has one dimension, and no cast gives it others: the text of an array does.
create or replace function service_private.in_form_of(items anyarray, form anycompatiblearray) returns anyarray
  language plpgsql stable parallel safe as $$
declare
  parts text[] := array(
    select coalesce('"' || replace(replace(i.item::text, '\', '\\'), '"', '\"') || '"', 'null')
    from unnest(items) with ordinality i (item, n) order by i.n);
  shaped items%type;
begin
  for dimension in reverse coalesce(array_ndims(form), 1) .. 1 loop
    parts := array(
      select '{' || string_agg(p.part, ',' order by p.n) || '}'
      from unnest(parts) with ordinality p (part, n)
      group by (p.n - 1) / array_length(form, dimension) order by (p.n - 1) / array_length(form, dimension));
  end loop;
  shaped := coalesce(parts[1], '{}');
  return shaped;
end $$;

comment on function service_private.in_form_of(anyarray, anycompatiblearray) is
  'The items of an array, as many as another one has, in the dimensions of that one.';

grant execute on function service_private.in_form_of(anyarray, anycompatiblearray) to service_user;
