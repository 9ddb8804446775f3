-- RFC 3492 section 6.3. PostgreSQL has no function for it.
create or replace function service_private.punycode(label text) returns text
  language plpgsql immutable strict parallel safe as $$
declare
  points constant integer[] := array(
    select ascii(l.letter) from unnest(string_to_array(label, null)) with ordinality l (letter, n) order by l.n);
  basic constant integer := (select count(*) from unnest(points) p (point) where p.point < 128);
  encoded text := regexp_replace(label, '[^\x01-\x7f]', '', 'g') || case when basic > 0 then '-' else '' end;
  smallest integer := 128;
  delta integer := 0;
  bias integer := 72;
  handled integer := basic;
  place integer;
  threshold integer;
  rest integer;
  point integer;
begin
  while handled < cardinality(points) loop
    delta := delta - smallest * (handled + 1);
    smallest := (select min(p.point) from unnest(points) p (point) where p.point >= smallest);
    delta := delta + smallest * (handled + 1);
    foreach point in array points loop
      if point < smallest then
        delta := delta + 1;
      elsif point = smallest then
        rest := delta;
        place := 36;
        loop
          threshold := least(greatest(place - bias, 1), 26);
          exit when rest < threshold;
          encoded := encoded || service_private.punycode_digit(threshold + (rest - threshold) % (36 - threshold));
          rest := (rest - threshold) / (36 - threshold);
          place := place + 36;
        end loop;
        encoded := encoded || service_private.punycode_digit(rest);
        rest := delta / case when handled = basic then 700 else 2 end;
        rest := rest + rest / (handled + 1);
        bias := 0;
        while rest > 455 loop
          rest := rest / 35;
          bias := bias + 36;
        end loop;
        bias := bias + 36 * rest / (rest + 38);
        delta := 0;
        handled := handled + 1;
      end if;
    end loop;
    delta := delta + 1;
    smallest := smallest + 1;
  end loop;
  return encoded;
end $$;

comment on function service_private.punycode(text) is
  'Encodes a label of a domain name with characters beyond ASCII, without the prefix xn--. The label has at most 63 characters.';
