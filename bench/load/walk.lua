-- wrk -s walk.lua URL -- METHOD PATH BODY [TOKEN …]: # in path and body is replaced by 1, 2, … 1000, 1, …; the tokens take turns
local n = 0
local method, path, body
local callers = {} -- the headers of each

function init(args)
  method, path, body = args[1], args[2], args[3]
  for i = 4, #args do
    local headers = { Authorization = 'Bearer ' .. args[i] }
    for name, value in pairs(wrk.headers) do
      if name:lower() ~= 'authorization' then headers[name] = value end
    end
    callers[i - 3] = headers
  end
end

function request()
  n = n % 1000 + 1
  local text = nil
  if body ~= '' then text = body:gsub('#', tostring(n)) end
  return wrk.format(method, (path:gsub('#', tostring(n))), #callers > 0 and callers[n % #callers + 1] or nil, text)
end
