-- wrk -s write.lua URL -- METHOD PATH BODY [TOKEN]: # in path and body is replaced by 1, 2, … 1000, 1, …
local n = 0
local method, path, body

function init(args)
  method, path, body = args[1], args[2], args[3]
  wrk.headers['Content-Type'] = 'application/json'
  if args[4] and args[4] ~= '' then wrk.headers['Authorization'] = 'Bearer ' .. args[4] end
end

function request()
  n = n % 1000 + 1
  return wrk.format(method, (path:gsub('#', tostring(n))), nil, (body:gsub('#', tostring(n))))
end
