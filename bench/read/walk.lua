-- wrk -s walk.lua URL -- PATH [TOKEN]: asks for PATH with # replaced by 1, 2, … 1000, 1, …
local n = 0
local path, token

function init(args)
  path, token = args[1], args[2]
  if token and token ~= '' then wrk.headers['Authorization'] = 'Bearer ' .. token end
end

function request()
  n = n % 1000 + 1
  return wrk.format('GET', (path:gsub('#', tostring(n))))
end
