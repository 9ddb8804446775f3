-- An error does not name its object, so halves of the tables are tried beside those that are known to work: about 11 attempts for one
-- in 2,000. Each attempt is undone; the last call keeps what is left. Errors that would come with no table at all, and those of another
-- transaction that was in the way, are the caller's.
create or replace function service_private.introspect(schema text, unprotected text)
  returns table (slug text, reason text, remedy text)
  language plpgsql volatile set jit = off as $$
declare
  found oid[];
  good oid[] := '{}';
  tried oid[];
  part int4range;
  middle integer;
  waiting int4range[];
begin
  begin
    return query select * from service_private.keep_tables(schema, unprotected);
    return;
  exception
    when lock_not_available or transaction_rollback then raise;
    when others then null;
  end;
  begin
    perform service_private.keep_tables(schema, unprotected, '{}');
    raise exception using errcode = 'GW000';
  exception when sqlstate 'GW000' then null;
  end;
  found := array(select t.oid from service.introspected_tables(introspect.schema, unprotected) t where t.reason is null order by t.oid);
  waiting := array[int4range(1, cardinality(found) + 1)];
  while waiting <> '{}' loop
    part := waiting[cardinality(waiting)];
    waiting := trim_array(waiting, 1);
    tried := found[lower(part) : upper(part) - 1];
    begin
      perform service_private.keep_tables(schema, unprotected, good || tried);
      raise exception using errcode = 'GW000';
    exception
      when sqlstate 'GW000' then good := good || tried;
      when lock_not_available or transaction_rollback then raise;
      when others then
        if cardinality(tried) = 1 then
          return query
            select c.relname::text, 'it could not be looked at: ' || sqlerrm, null from pg_catalog.pg_class c where c.oid = tried[1];
        else
          middle := (lower(part) + upper(part)) / 2;
          waiting := waiting || int4range(middle, upper(part)) || int4range(lower(part), middle);
        end if;
    end;
  end loop;
  return query select * from service_private.keep_tables(schema, unprotected, good);
end $$;

comment on function service_private.introspect(text, text) is
  'Reads the tables of a schema into the catalog (service_private.keep_tables). A table or view that ends this with an error is left out. '
  'Returns what is not served, as service.introspected_tables. Needs the owner; callers serialise it with an advisory lock.';
