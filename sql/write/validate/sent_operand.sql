-- Without subqueries, so that the planner can put it where it is called.
create or replace function service_private.sent_operand(sent jsonb, operation text) returns jsonb
  language sql immutable parallel safe
  return case when operation is null then null when sent = jsonb_build_object(operation, sent -> operation) then
    case operation
      when '$inc' then case jsonb_typeof(sent -> operation) when 'number' then sent -> operation end
      when '$merge' then case jsonb_typeof(sent -> operation) when 'object' then sent -> operation end
      else case jsonb_typeof(sent -> operation)
        when 'array' then nullif(sent -> operation, '[]')
        when 'null' then null
        else jsonb_build_array(sent -> operation)
      end
    end
  end;

comment on function service_private.sent_operand(jsonb, text) is
  'The operand of an operation ({"$push": "new"}): the number of $inc, the object of $merge, the items of $push and $pull as an array; '
  'null when this is not that operation, or no operand for it.';

grant execute on function service_private.sent_operand(jsonb, text) to service_user;
