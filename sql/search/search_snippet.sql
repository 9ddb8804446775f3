-- A snippet is HTML, because of its marks, so what it quotes is escaped. Two control characters stand for the marks until then.
create or replace function service_private.search_snippet(config regconfig, query tsquery, document text, hits text[]) returns text
  language plpgsql immutable parallel safe set client_min_messages = 'warning' as $$
declare
  hit text;
  snippet text;
  words text;
  trimmed constant text := '^[^[:alnum:]]+|[^[:alnum:]]+$';
begin
  foreach hit in array coalesce(hits[1:20], '{}') loop
    query := query || phraseto_tsquery(config, hit);
  end loop;
  document := translate(document, e'\x01\x02', '');
  snippet := ts_headline(config, document, query, e'StartSel="\x01", StopSel="\x02", MaxFragments=2, MaxWords=18, '
    'MinWords=6, ShortWord=0, FragmentDelimiter=" … "');
  if position(e'\x01' in snippet) = 0 then
    return null;
  end if;
  -- ts_headline begins and ends with a word.
  words := regexp_replace(translate(snippet, e'\x01\x02', ''), trimmed, '', 'g');
  document := regexp_replace(document, trimmed, '', 'g');
  snippet := concat(case when left(document, 12) <> left(words, 12) then '…' end, snippet,
    case when right(document, 12) <> right(words, 12) then '…' end);
  snippet := replace(replace(replace(replace(snippet, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;');
  return replace(replace(snippet, e'\x01', '<mark>'), e'\x02', '</mark>');
end $$;

comment on function service_private.search_snippet(regconfig, tsquery, text, text[]) is
  'The surroundings of a query''s hits in a text, as HTML: hits in <mark>, all else escaped, … for omitted text. hits: words of the text '
  'that count as well. Null without a hit.';

grant execute on function service_private.search_snippet(regconfig, tsquery, text, text[]) to service_user;
