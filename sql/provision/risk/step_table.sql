create or replace function service_private.step_table(statement text) returns regclass
  language sql stable
  return to_regclass((regexp_match(statement,
    '(?:alter table|\son)\s+((?:"(?:[^"]|"")+"|[^\s".]+)\.(?:"(?:[^"]|"")+"|[^\s".(;]+))'))[1]);

comment on function service_private.step_table(text) is
  'The table that a statement of service.provision_plan() changes; null where it is of none, or of one that is not there yet.';
