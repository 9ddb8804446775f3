-- wrk -s walk.lua URL -- METHOD PATH BODY: # in path and body is replaced by 1, 2, … 1000, 1, …
local n = 0
local method, path, body

function init(args)
  method, path, body = args[1], args[2], args[3]
end

function request()
  n = n % 1000 + 1
  local text = nil
  if body ~= '' then text = body:gsub('#', tostring(n)) end
  return wrk.format(method, (path:gsub('#', tostring(n))), nil, text)
end
