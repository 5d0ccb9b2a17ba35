-- For wrk: requests the targets of a file in turn, those of a thread at its own distance, and prints
-- the outcome as JSON.
--   wrk -s requests.lua URL -- FILE HEADERS OFFSET THREADS
-- FILE has one path with query a line; HEADERS a line for each header, as in HTTP.

local number = 0
function setup(thread)
  thread:set("thread_number", number)
  number = number + 1
end

function init(args)
  targets = {}
  for line in io.lines(args[1]) do targets[#targets + 1] = "GET " .. line end
  local headers = {}
  for line in io.lines(args[2]) do headers[#headers + 1] = line end
  rest = " HTTP/1.1\r\n" .. table.concat(headers, "\r\n") .. "\r\n\r\n"
  step = tonumber(args[4])
  next_target = tonumber(args[3]) + thread_number
  if #targets == 1 then only = targets[1] .. rest end
end

function request()
  if only then return only end
  local target = targets[next_target % #targets + 1]
  next_target = next_target + step
  return target .. rest
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"failed":%d,"unanswered":%d}\n',
    summary.requests, summary.duration, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
