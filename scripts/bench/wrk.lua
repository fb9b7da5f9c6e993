-- Requests the paths of a file in turn, all with the same headers, and prints one line of JSON at the end.
-- wrk -s wrk.lua <url> -- <file of paths> [<header>: <value>] ...
local requests = {}
local at = 0

function init(args)
  for i = 2, #args do
    local name, value = args[i]:match("^([^:]+): (.*)$")
    wrk.headers[name] = value
  end
  for path in io.lines(args[1]) do requests[#requests + 1] = wrk.format("GET", path) end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.3f,"p50Ms":%.3f,"p99Ms":%.3f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
