create or replace function service_private.plurals() returns jsonb
  language sql immutable parallel safe
  return
    -- The rule, and what is no plural.
    '{
      "s": "", "ss": "ss", "us": "us", "is": "is"
    }'::jsonb
    -- Endings.
    || '{
      "ies": "y", "sses": "ss", "shes": "sh", "ches": "ch", "xes": "x", "zzes": "zz", "oes": "o", "buses": "bus",
      "iuses": "ius", "luses": "lus", "nuses": "nus", "puses": "pus", "ruses": "rus", "suses": "sus", "tuses": "tus",
      "crises": "crisis", "gnoses": "gnosis", "theses": "thesis", "yses": "ysis", "men": "man", "people": "person",
      "children": "child", "feet": "foot", "teeth": "tooth", "geese": "goose", "halves": "half", "calves": "calf",
      "shelves": "shelf", "selves": "self", "wolves": "wolf", "knives": "knife", "wives": "wife", "loaves": "loaf",
      "thieves": "thief", "scarves": "scarf", "indices": "index", "vertices": "vertex", "codices": "codex",
      "matrices": "matrix", "appendices": "appendix", "criteria": "criterion", "phenomena": "phenomenon",
      "bacteria": "bacterium", "curricula": "curriculum", "alumni": "alumnus", "cacti": "cactus", "fungi": "fungus",
      "nuclei": "nucleus", "radii": "radius", "stimuli": "stimulus", "syllabi": "syllabus"
    }'
    -- Words that an ending above would take for others; an underscore says that the word begins there.
    || '{
      "movies": "movie", "cookies": "cookie", "rookies": "rookie", "selfies": "selfie", "zombies": "zombie",
      "brownies": "brownie", "calories": "calorie", "goalies": "goalie", "oodies": "oodie", "smoothies": "smoothie",
      "prairies": "prairie", "veggies": "veggie", "_dies": "die", "_lies": "lie", "_pies": "pie", "_ties": "tie",
      "abuses": "abuse", "circuses": "circus", "focuses": "focus", "quizzes": "quiz", "_gases": "gas",
      "aliases": "alias", "atlases": "atlas", "biases": "bias", "canvases": "canvas", "lenses": "lens",
      "irises": "iris", "caches": "cache", "headaches": "headache", "niches": "niche", "shoes": "shoe",
      "canoes": "canoe", "_toes": "toe", "_axes": "axis", "_leaves": "leaf", "_lives": "life", "_mice": "mouse",
      "_oxen": "ox", "menus": "menu", "gurus": "guru", "cpus": "cpu", "gpus": "gpu", "skus": "sku", "emojis": "emoji",
      "_apis": "api", "_kpis": "kpi", "_uris": "uri", "_taxis": "taxi"
    }'
    -- The same in both numbers, or no noun that is counted.
    || '{
      "series": "series", "species": "species", "news": "news", "corps": "corps", "headquarters": "headquarters",
      "alias": "alias", "atlas": "atlas", "bias": "bias", "canvas": "canvas", "lens": "lens", "chaos": "chaos",
      "analytics": "analytics", "logistics": "logistics", "economics": "economics", "physics": "physics",
      "mathematics": "mathematics", "specimen": "specimen", "regimen": "regimen", "_omen": "omen", "_gas": "gas",
      "_means": "means", "_goods": "goods", "_gps": "gps", "_sms": "sms", "_dns": "dns"
    }';

comment on function service_private.plurals() is
  'English plurals, as endings of words in lower case, and what stands in their place in the singular: of those that fit, the '
  'longest decides (service_private.singular). An underscore before one means a whole word.';
