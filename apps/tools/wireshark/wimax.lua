-- SPDX-License-Identifier: GPL-3.0-or-later
--
-- Wireshark dissector for captures of wimax-macd: MAC PDUs of IEEE 802.16-2004 WirelessMAN-OFDM in Ethernet frames of
-- Ethertype 0x08F0. Copy this file and wimax_dictionary.lua into Wireshark's folder of personal plugins, or
--     wireshark -X lua_script:apps/tools/wireshark/wimax.lua FILE
-- Octets may be anything: whatever is read is asked for its length first, and what does not fit is marked.

local folder = debug.getinfo(1, "S").source:match("^@(.*[/\\])") or ""
local dictionary = dofile(folder .. "wimax_dictionary.lua")

local ETHERTYPE = 0x08F0
local TLV = {frame = 2, burst = 3, pdus = 9, ofdm = 240}  -- of the Ethertype
local OFDM_OCTETS = 16
local FLAG = {downlink = 0x01, sent = 0x02, fec_ok = 0x04, bad_crc = 0x08, unreadable = 0x10, cut = 0x20, stc = 0x40}
local NOT_MEASURED = -32768
local DEFAULT_BASIC_CID_MAX = 320
local HEADER, CRC = 6, 4
local TYPE = {grant = 0x01, packing = 0x02, fragmentation = 0x04, extended = 0x08, feedback = 0x10, mesh = 0x20}
local UNFRAGMENTED = 0
local CS_SPECIFICATION, CS_ETHERNET, CS_VLAN = 28, {[3] = true, [5] = true, [6] = true}, {[4] = true, [7] = true, [8] = true}
local KINDS = {[0] = "data", "ranging", "contention"}
local RATES = dictionary.rates
local FRAGMENT = {[0] = "whole", "last", "first", "middle"}
local DIUCS = {[0] = "STC zone", [13] = "gap", [14] = "end of map", [15] = "extended"}
local UIUCS = {"initial ranging", "REQ region full", "REQ region focused", "focused contention", [13] = "subchannelized network entry",
    [14] = "end of map", [15] = "extended"}

local proto = Proto("wimax", "IEEE 802.16 WirelessMAN-OFDM")
local malformed = ProtoExpert.new("wimax.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR)
local wrong_crc = ProtoExpert.new("wimax.wrong_crc", "CRC is wrong", expert.group.CHECKSUM, expert.severity.WARN)
local inner = ProtoExpert.new("wimax.inner_malformed", "The packet inside is malformed", expert.group.MALFORMED, expert.severity.WARN)
local field, kind_of, all = {}, {}, {}

---------------------------------------------------------------------------------------------------------------- fields

local MAKE = {
  number = function(abbr, name) return ProtoField.uint64(abbr, name, base.DEC) end,
  cid = function(abbr, name) return ProtoField.uint64(abbr, name, base.DEC_HEX) end,
  signed = function(abbr, name) return ProtoField.int64(abbr, name, base.DEC) end,
  bytes = ProtoField.bytes,
  text = ProtoField.string,
  float = ProtoField.float,
}
local MADE_OF = {unsigned = "number", list = "number", power_codes = "number", signed = "signed", text = "text", ranges = "text",
    addresses = "text"}

local function define(kind, keys)
  for key in keys:gmatch("%S+") do
    if not field[key] then
      field[key], kind_of[key] = MAKE[kind]("wimax." .. key, key), kind
      all[#all + 1] = field[key]
    end
  end
end

define("number", "air.frame air.burst air.sent air.fec_ok air.rate_id air.iuc air.subchannel air.stc air.offset air.unreadable air.cut")
define("cid", "air.cid cid basic_cid primary_cid secondary_cid")
define("text", "air.direction air.kind extended bits crc_style message_name")
define("float", "air.rssi_dbm air.cinr_db")
define("number", "ht ec type ci eks len hcs br crc_ok raw si pm pbr fc fsn msg padding_bytes")
define("number", "diuc preamble start subch uiuc duration midamble frame_lsb4 opportunity channel code")
define("number", "last ack_type bsn maps fmt lengths id seq power_measurement_frame tlv_type")
define("signed", "value power_adjust")
define("bytes", "crc payload rest tlv_value")
for _, message in pairs(dictionary.messages) do
  for _, fixed in ipairs(message.fields) do
    if fixed.name ~= "" then define(fixed.hex and "bytes" or "number", fixed.name) end
  end
end
for _, set in ipairs(dictionary.sets) do
  for _, tlv in pairs(set) do
    if type(tlv) == "table" then
      for _, part in ipairs(tlv.parts or {}) do
        if part.name ~= "" then define("number", part.name) end
      end
      if tlv.kind == "hmac" then
        define("number", "hmac_seq")
        define("bytes", "hmac_digest")
      elseif tlv.key and tlv.kind ~= "compound" then
        define(MADE_OF[tlv.kind] or "bytes", tlv.key)
      end
    end
  end
end
proto.fields = all
proto.experts = {malformed, wrong_crc, inner}

local function put(tree, key, range, value)
  if value == nil or range == nil then return end
  if type(value) == "boolean" then value = value and 1 or 0 end
  if type(value) == "number" and kind_of[key] ~= "float" then value = kind_of[key] == "signed" and Int64(value) or UInt64(value) end
  return tree:add(field[key], range, value)
end

--- Marks what cannot be as it is; false, so that callers may return it.
local function fault(tree, text)
  tree:add_proto_expert_info(malformed, text)
  return false
end

------------------------------------------------------------------------------------------------------------- reading

--- Part of a range; nil where it is empty or not there.
local function slice(range, offset, length)
  if range == nil or offset >= range:len() then return nil end
  length = length or range:len() - offset
  if length <= 0 or offset + length > range:len() then return nil end
  return range:range(offset, length)
end

local function size(range) return range and range:len() or 0 end

--- Bits, most significant first. What is missing is nil, and so is everything after that.
local Bits = {}
Bits.__index = Bits
function Bits.new(range) return setmetatable({range = range, at = 0, bits = 8 * size(range), failed = false}, Bits) end
function Bits:left() return self.bits - self.at end
function Bits:get(count)
  if self.failed or count > self:left() then
    self.failed = true
    return nil
  end
  local first, last = math.floor(self.at / 8), math.floor((self.at + count - 1) / 8)
  local range = self.range:range(first, last - first + 1)
  local value = range:bitfield(self.at % 8, count)
  self.at = self.at + count
  return value, range
end
function Bits:put(tree, key, count)
  local value, range = self:get(count)
  put(tree, key, range, value)
  return value
end
function Bits:rest() return slice(self.range, math.ceil(self.at / 8)) end

local function crc_table(polynomial, reflected)
  local out = {}
  for i = 0, 255 do
    local crc = reflected and i or bit.lshift(i, 24)
    for _ = 1, 8 do
      if reflected then
        crc = bit.bxor(bit.rshift(crc, 1), bit.band(crc, 1) ~= 0 and polynomial or 0)
      else
        crc = bit.bxor(bit.lshift(crc, 1), crc < 0 and polynomial or 0)
      end
    end
    out[i] = bit.tobit(crc)
  end
  return out
end
local REFLECTED, STRAIGHT = crc_table(0xEDB88320, true), crc_table(0x04C11DB7, false)

local function crc_8023(octets)
  local crc = -1
  for i = 1, #octets do
    crc = bit.bxor(bit.rshift(crc, 8), REFLECTED[bit.band(bit.bxor(crc, octets:byte(i)), 255)])
  end
  return bit.bnot(crc)
end
local function crc_msb(octets)
  local crc = -1
  for i = 1, #octets do
    crc = bit.bxor(bit.lshift(crc, 8), STRAIGHT[bit.bxor(bit.rshift(crc, 24), octets:byte(i))])
  end
  return bit.bnot(crc)
end
local function hcs(octets)
  local crc = 0
  for i = 1, #octets do
    crc = bit.bxor(crc, octets:byte(i))
    for _ = 1, 8 do crc = bit.band(bit.bxor(bit.lshift(crc, 1), crc >= 128 and 0x07 or 0), 255) end
  end
  return crc
end

--------------------------------------------------------------------------------------------------------------- TLVs

local function find_tlv(set, number)
  while set do
    if dictionary.sets[set][number] then return dictionary.sets[set][number] end
    set = dictionary.sets[set].fallback
  end
end

local function put_parts(tree, parts, range)
  local bits = Bits.new(range)
  for _, part in ipairs(parts or {}) do
    if part.name == "" then bits:get(part.bits) else bits:put(tree, part.name, part.bits) end
  end
end

local function each(range, width, action)
  if size(range) % width ~= 0 then return end
  for at = 0, size(range) - width, width do action(slice(range, at, width)) end
end

local function address(range)
  if range:len() == 4 then return tostring(range:ipv4()) end
  if range:len() == 16 then return tostring(range:ipv6()) end
  return range:bytes():tohex(true)
end

local VALUE = {
  unsigned = function(tree, spec, range) if size(range) >= 1 and size(range) <= 8 then put(tree, spec.key, range, range:uint64()) end end,
  signed = function(tree, spec, range) if size(range) >= 1 and size(range) <= 8 then put(tree, spec.key, range, range:int64()) end end,
  text = function(tree, spec, range) if range then tree:add(field[spec.key], range) end end,
  list = function(tree, spec, range)
    each(range, spec.width, function(one) put(tree, spec.key, one, one:uint64()) end)
  end,
  ranges = function(tree, spec, range)
    each(range, 2 * spec.width, function(pair)
      put(tree, spec.key, pair, slice(pair, 0, spec.width):uint() .. "-" .. slice(pair, spec.width):uint())
    end)
  end,
  addresses = function(tree, spec, range)
    each(range, 2 * spec.width, function(pair)
      put(tree, spec.key, pair, address(slice(pair, 0, spec.width)) .. "/" .. address(slice(pair, spec.width)))
    end)
  end,
  bits = function(tree, spec, range) if size(range) == spec.length then put_parts(tree, spec.parts, range) end end,
  hmac = function(tree, spec, range)
    if size(range) ~= spec.length then return end
    put(tree, "hmac_seq", slice(range, 0, 1), range:bitfield(4, 4))
    tree:add(field.hmac_digest, slice(range, 1))
  end,
}
VALUE.power_codes = VALUE.list
local function octets_value(tree, spec, range) if range then tree:add(field[spec.key], range) end end

--- Type, value (nil: empty), the whole of it, what follows, and whether its length was coded in more octets than it takes;
--- nothing where the list is malformed.
local function next_tlv(list)
  if size(list) < 2 then return nil end
  local length, head, longer = slice(list, 1, 1):uint(), 2, false
  if length > 127 then
    local octets = length - 128
    local coded = octets >= 1 and octets <= 3 and slice(list, 2, octets)
    if not coded then return nil end
    length, head = coded:uint(), 2 + octets
    longer = length < 128 or length < 2 ^ (8 * (octets - 1))
  end
  if head + length > list:len() then return nil end
  return slice(list, 0, 1):uint(), slice(list, head, length), slice(list, 0, head + length), slice(list, head + length), longer
end

--- `seen`: called with each number and value. False: the list is damaged.
local function tlvs(tree, list, set, seen)
  while list do
    local number, value, whole, rest, longer = next_tlv(list)
    if not number then return fault(tree, "TLV list") end
    if longer then return fault(tree, "TLV length in a longer form than needed") end
    local spec = find_tlv(set, number)
    local item = tree:add(proto, whole, spec and spec.name or "unknown TLV")
    put(item, "tlv_type", slice(whole, 0, 1), number)
    if seen then seen(number, value) end
    if not spec then
      if value then item:add(field.tlv_value, value) end
    elseif spec.kind == "compound" then
      local prefix = spec.prefix or 0
      if size(value) < prefix then return fault(item, "TLV without its prefix") end
      if prefix > 0 then put_parts(item, spec.parts, slice(value, 0, prefix)) end
      if not tlvs(item, slice(value, prefix), spec.set, seen) then return false end
    else
      (VALUE[spec.kind] or octets_value)(item, spec, value)
    end
    list = rest
  end
  return true
end

----------------------------------------------------------------------------------------------------------- messages

local function hex_of(bits)
  local first, length = bits:get(4), bits:get(4)
  local text = length and string.format("%x%x", first, length) or ""
  for _ = 1, length or 0 do
    local octet = bits:get(8)
    text = text .. (octet and string.format("%02x", octet) or "")
  end
  return text
end

--- A tree for the bits from here; the caller sets its length when it is known.
local function element(tree, bits, name)
  local range = slice(bits.range, math.floor(bits.at / 8))
  return tree:add(proto, range or bits.range, name), math.floor(bits.at / 8)
end
local function close(item, bits, from) item:set_len(math.max(1, math.ceil(bits.at / 8) - from)) end

local function dl_map_element(tree, bits)
  local item, from = element(tree, bits, "Element")
  local cid, diuc = bits:put(item, "cid", 16), bits:put(item, "diuc", 4)
  local start
  if diuc == 15 then
    put(item, "extended", bits.range, hex_of(bits))
  else
    bits:put(item, "preamble", 1)
    start = bits:put(item, "start", 11)
  end
  close(item, bits, from)
  if diuc then
    item:set_text(string.format("DIUC %d%s, CID %d%s", diuc, DIUCS[diuc] and " (" .. DIUCS[diuc] .. ")" or "", cid,
        start and ", from symbol " .. start or ""))
  end
end

local function ul_map_element(tree, bits)
  local item, from = element(tree, bits, "Element")
  local cid, start, subchannel = bits:put(item, "cid", 16), bits:put(item, "start", 11), bits:put(item, "subch", 5)
  local uiuc, duration, midamble = bits:put(item, "uiuc", 4), bits:put(item, "duration", 10), bits:put(item, "midamble", 2)
  if uiuc == 4 then
    bits:put(item, "frame_lsb4", 4)
    bits:put(item, "opportunity", 3)
    bits:put(item, "channel", 6)
    bits:put(item, "code", 3)
  elseif uiuc == 13 then
    bits:put(item, "subch", 5)
    bits:put(item, "frame_lsb4", 4)
    bits:put(item, "code", 3)
  elseif uiuc == 15 then
    put(item, "extended", bits.range, hex_of(bits))
  end
  close(item, bits, from)
  if midamble then
    item:set_text(string.format("UIUC %d%s, CID %d, symbols %d + %d%s", uiuc, UIUCS[uiuc] and " (" .. UIUCS[uiuc] .. ")" or "", cid,
        start, duration, subchannel ~= 0 and subchannel ~= 16 and ", subchannel index " .. subchannel or ""))
  end
end

local function map(read)
  return function(tree, bits)
    local count = 0
    while bits:left() >= 8 and not bits.failed do
      read(tree, bits)
      count = count + 1
    end
    if bits.failed then return fault(tree, "map element cut short") end
    if bits:left() > 0 and bits:get(4) ~= 0 then return fault(tree, "padding of a map") end
    return true, count .. (count == 1 and " element" or " elements")
  end
end

local function sequence(tree, bits)
  local item = element(tree, bits, "Sequences")
  local fmt = bits:put(item, "fmt", 1)
  if not fmt then return end
  local count, width, text = 2 + fmt, fmt == 1 and 4 or 6, ""
  for _ = 1, count do text = text .. (bits:get(1) or "") end
  put(item, "bits", bits.range, text)
  for _ = 1, count do bits:put(item, "lengths", width) end
  if fmt == 0 and bits:get(1) ~= 0 then bits.failed = true end
end

local function feedback(tree, bits)
  local last
  repeat
    local item, from = element(tree, bits, "Feedback")
    bits:put(item, "cid", 16)
    last = bits:put(item, "last", 1)
    local kind = bits:put(item, "ack_type", 2)
    bits:put(item, "bsn", 11)
    local count = bits:get(2)
    if kind == 1 and count ~= 0 then bits.failed = true end
    for _ = 1, (kind == 1 or bits.failed) and 0 or count + 1 do
      if kind == 3 then sequence(item, bits) else bits:put(item, "maps", 16) end
    end
    close(item, bits, from)
  until last ~= 0 or bits.failed
  if bits.failed then return fault(tree, "ARQ feedback cut short") end
  return true
end

local TAIL = {
  none = function() return true end,
  dl_map = map(dl_map_element),
  ul_map = map(ul_map_element),
  feedback = feedback,
  clocks = function(tree, bits)
    for _ = 1, bits:get(8) or 0 do
      if bits.failed then break end
      bits:put(tree, "id", 8)
      bits:put(tree, "seq", 8)
      local value, range = bits:get(8)
      put(tree, "value", range, value and (value < 128 and value or value - 256))
    end
    return true
  end,
  stations = function(tree, bits)
    local count = bits:get(8) or 0
    bits:put(tree, "power_measurement_frame", 8)
    for _ = 1, count do
      if bits.failed then break end
      bits:put(tree, "cid", 16)
      local value, range = bits:get(8)
      put(tree, "power_adjust", range, value and (value < 128 and value or value - 256))
    end
    return true
  end,
}

--- Convergence sublayer of each transport connection whose set-up was seen.
local sublayers = {}

--- Learns which sublayer a connection has from the flows that a message sets up.
local function flow_watch()
  local cid
  return function(number, value)
    if number == 2 and size(value) == 2 then cid = value:uint() end
    if number == CS_SPECIFICATION and size(value) == 1 and cid then sublayers[cid] = value:uint() end
  end
end

--- Fixed fields and tail; its words for the Info column. False: damaged.
local function message_body(tree, bits, spec)
  for _, fixed in ipairs(spec.fields) do
    for _ = 1, fixed.count or 1 do
      if fixed.hex then
        local range = slice(bits.range, bits.at / 8, fixed.bits / 8)
        if not range then return fault(tree, "fixed fields cut short") end
        tree:add(field[fixed.name], range)
        bits.at = bits.at + fixed.bits
      elseif fixed.name == "" then
        if bits:get(fixed.bits) ~= 0 then return fault(tree, "reserved bits of a message") end
      else
        bits:put(tree, fixed.name, fixed.bits)
      end
    end
  end
  if bits.failed then return fault(tree, "fixed fields cut short") end
  if spec.tail == "tlvs" then return tlvs(tree, bits:rest(), spec.set, spec.name:match("^DS[AC]") and flow_watch()) end
  if spec.tail == "octets" then
    if bits:rest() then tree:add(field.payload, bits:rest()) end
    return true
  end
  local whole, words = TAIL[spec.tail](tree, bits)
  if whole and bits.failed then return fault(tree, "message cut short") end
  if whole and bits:left() >= 8 then return fault(tree, "octets after the end of the message") end
  return whole, words
end

local function message(tree, range)
  local number = slice(range, 0, 1):uint()
  local spec = dictionary.messages[number] or {name = "reserved", tail = "octets", fields = {}}
  local item = tree:add(proto, range, spec.name)
  put(item, "msg", slice(range, 0, 1), number)
  put(item, "message_name", slice(range, 0, 1), spec.name):set_hidden(true)
  local bits = Bits.new(range)
  bits:get(8)
  local whole, words = message_body(item, bits, spec)
  return spec.name .. (words and ", " .. words or "") .. (whole and "" or " [malformed]")
end

------------------------------------------------------------------------------------------------------------- payload

local dissect_ip, dissect_ipv6, dissect_ethernet = Dissector.get("ip"), Dissector.get("ipv6"), Dissector.get("eth_withoutfcs")

--- Passes a whole SDU to its dissector. A connection whose set-up was not captured is taken for one of IP where it looks so.
local function sdu(range, cid, air)
  local sublayer, version, length = sublayers[cid], range:bitfield(0, 4), range:len()
  local action
  if CS_ETHERNET[sublayer] or CS_VLAN[sublayer] then
    if length >= 14 then action = dissect_ethernet end
  elseif version == 4 and length >= 20 and range(2, 2):uint() == length then
    action = dissect_ip
  elseif version == 6 and length >= 40 and range(4, 2):uint() + 40 == length then
    action = dissect_ipv6
  end
  if action then air.contents[#air.contents + 1] = {action, range} end
end

local function packed(tree, rest, header, air)
  local head = header.extended and 3 or 2
  local is_feedback = header.feedback
  while rest do
    local bits = Bits.new(rest)
    local item = tree:add(proto, rest, "Packed unit")
    local fc, fsn = bits:put(item, "fc", 2), bits:put(item, "fsn", header.extended and 11 or 3)
    local length = bits:put(item, "len", 11)
    if not length or length < head or length > rest:len() then return fault(item, "length of a packed unit") end
    item:set_len(length)
    item:set_text(string.format("Packed unit, %s, number %d, %d octets", FRAGMENT[fc], fsn, length))
    local unit = slice(rest, head, length - head)
    if is_feedback then
      local words = Bits.new(unit)
      if not feedback(item, words) then return false end
      if words:left() > 0 then return fault(item, "octets behind the last feedback IE") end
      is_feedback = false
    elseif unit then
      item:add(field.payload, unit)
      if fc == UNFRAGMENTED then sdu(unit, header.cid, air) end
    end
    rest = slice(rest, length)
  end
  if is_feedback then return fault(tree, "no unit for the ARQ feedback") end
  return true
end

local function is_management(cid, air) return cid == 0 or cid == 0xFFFF or cid <= 2 * air.basic_cid_max end

--- Subheaders and what follows them; words for the Info column.
local function contents(tree, body, header, air)
  local bits = Bits.new(body)
  if header.grant then
    if air.direction == "downlink" then return fault(tree, "grant management subheader in the downlink") end
    local raw, range = bits:get(16)
    if not raw then return fault(tree, "grant management subheader cut short") end
    local item = tree:add(proto, range, "Grant management")
    put(item, "raw", range, raw)
    put(item, "si", range, bit.rshift(raw, 15))
    put(item, "pm", range, bit.band(bit.rshift(raw, 14), 1))
    put(item, "pbr", range, raw)
  end
  if header.fragmentation and header.packing then return fault(tree, "fragmentation and packing at once") end
  local words = ""
  if header.fragmentation then
    local item, from = element(tree, bits, "Fragmentation")
    local fc, fsn = bits:put(item, "fc", 2), bits:put(item, "fsn", header.extended and 11 or 3)
    if bits:get(3) ~= 0 then return fault(tree, "fragmentation subheader") end
    close(item, bits, from)
    words = string.format(", %s fragment %d", FRAGMENT[fc], fsn)
  end
  local rest = bits:rest()
  if header.packing then return packed(tree, rest, header, air), "packed SDUs" end
  if header.feedback then
    local item = element(tree, bits, "ARQ feedback")
    if not feedback(item, bits) then return false end
    rest = bits:rest()
  elseif not header.fragmentation and rest and is_management(header.cid, air) then
    return true, message(tree, rest)
  end
  if not rest then return true, header.feedback and "ARQ feedback" or "no payload" end
  tree:add(field.payload, rest)
  if not header.fragmentation and not header.feedback and not is_management(header.cid, air) then sdu(rest, header.cid, air) end
  return true, rest:len() .. " octets" .. words
end

---------------------------------------------------------------------------------------------------------------- PDUs

local function bandwidth_request(tree, range)
  local bits = Bits.new(range)
  bits:put(tree, "ht", 1)
  local ec, kind = bits:put(tree, "ec", 1), bits:put(tree, "type", 3)
  local octets, cid = bits:put(tree, "br", 19), bits:put(tree, "cid", 16)
  bits:put(tree, "hcs", 8)
  if ec ~= 0 or kind > 1 then return fault(tree, "reserved bits of a bandwidth request") end
  tree:set_text(string.format("Bandwidth request, %s %d octets, CID %d", kind == 1 and "aggregate" or "incremental", octets, cid))
  return HEADER, string.format("request of %d octets", octets), cid
end

local function generic_header(tree, range)
  local bits = Bits.new(range)
  bits:put(tree, "ht", 1)
  local header = {encrypted = bits:put(tree, "ec", 1) == 1}
  local kind = bits:put(tree, "type", 6)
  for name, mask in pairs(TYPE) do header[name] = bit.band(kind, mask) ~= 0 end
  local reserved = bits:get(1)
  header.has_crc = bits:put(tree, "ci", 1) == 1
  bits:put(tree, "eks", 2)
  reserved = reserved + bits:get(1)
  header.length, header.cid = bits:put(tree, "len", 11), bits:put(tree, "cid", 16)
  bits:put(tree, "hcs", 8)
  header.reserved = reserved ~= 0 or header.mesh
  return header
end

local function check_crc(tree, range)
  local received = slice(range, range:len() - CRC)
  local covered = slice(range, 0, range:len() - CRC):raw()
  tree:add(field.crc, received)
  local style
  if bit.tobit(received:le_uint()) == crc_8023(covered) then
    style = "8023"
  elseif bit.tobit(received:uint()) == crc_msb(covered) then
    style = "msb"
  end
  put(tree, "crc_ok", received, style ~= nil)
  if style then put(tree, "crc_style", received, style) else tree:add_proto_expert_info(wrong_crc) end
  return style ~= nil
end

local function generic_pdu(tree, rest, air)
  local header = generic_header(tree, slice(rest, 0, HEADER))
  if header.reserved then return fault(tree, "reserved bits of a header") end
  local tail = header.has_crc and CRC or 0
  local whole = slice(rest, 0, header.length)
  if not whole or header.length < HEADER + tail then return fault(tree, "LEN") end
  tree:set_len(header.length)
  local body = slice(whole, HEADER, header.length - HEADER - tail)
  local ok, words = true, "encrypted"
  if header.encrypted then
    if body then tree:add(field.payload, body) end
  else
    ok, words = contents(tree, body, header, air)
  end
  if header.has_crc and not check_crc(tree, whole) then words = (words or "") .. " [wrong CRC]" end
  words = ok and words or "malformed PDU"
  tree:set_text(string.format("PDU, CID %d, %s", header.cid, words))
  return header.length, words, header.cid
end

--- PDUs one behind the other; words of each for the Info column.
local function pdus(tree, range, air)
  local words, rest = {}, range
  while rest do
    if slice(rest, 0, 1):uint() == 0xFF then
      if rest:raw():find("[^\255]") then fault(tree, "0xFF where a header should begin, but not padding") end
      put(tree, "padding_bytes", rest, rest:len())
      break
    end
    local item = tree:add(proto, rest, "PDU")
    local head = slice(rest, 0, HEADER)
    local length, text, cid = false, nil, nil
    if not head then
      fault(item, "less than a header")
    elseif hcs(slice(head, 0, HEADER - 1):raw()) ~= slice(head, HEADER - 1):uint() then
      fault(item, "header check sequence")
    elseif head:bitfield(0, 1) == 1 then
      length, text, cid = bandwidth_request(item, head)
    else
      length, text, cid = generic_pdu(item, rest, air)
    end
    if not length then
      item:set_text("Unreadable")
      item:add(field.rest, rest)
      words[#words + 1] = "unreadable"
      break
    end
    item:set_len(length)
    air.cid = air.cid or cid
    words[#words + 1] = string.format("CID %d: %s", cid, text)
    rest = slice(rest, length)
  end
  return table.concat(words, "; ")
end

--------------------------------------------------------------------------------------------------------------- packet

local function level(tree, key, range)
  local tenths = range:int()
  if tenths ~= NOT_MEASURED then put(tree, key, range, tenths / 10) end
end

local function burst(tree, range, air)
  local flags = range(0, 1):uint()
  local function flag(name) return bit.band(flags, FLAG[name]) ~= 0 end
  air.direction = flag("downlink") and "downlink" or "uplink"
  air.unreadable = flag("unreadable")
  put(tree, "air.direction", range(0, 1), air.direction)
  for _, name in ipairs({"sent", "fec_ok", "unreadable", "cut", "stc"}) do put(tree, "air." .. name, range(0, 1), flag(name)) end
  put(tree, "air.kind", range(1, 1), KINDS[range(1, 1):uint()] or "unknown")
  local rate = range(2, 1):uint()
  put(tree, "air.rate_id", range(2, 1), rate):append_text(RATES[rate] and " (" .. RATES[rate] .. ")" or "")
  put(tree, "air.iuc", range(3, 1), range(3, 1):uint())
  if range(4, 1):uint() > 0 then put(tree, "air.subchannel", range(4, 1), range(4, 1):uint()) end
  put(tree, "air.cid", range(6, 2), range(6, 2):uint())
  level(tree, "air.rssi_dbm", range(8, 2))
  level(tree, "air.cinr_db", range(10, 2))
  put(tree, "air.offset", range(12, 2), range(12, 2):uint())
  air.burst_cid, air.rate = range(6, 2):uint(), RATES[rate]
  air.basic_cid_max = math.max(1, range(14, 2):uint())
end

local function tlvs_of_ethertype(tvb)
  local found, list = {}, slice(tvb:range(0), 4)
  for _ = 1, tvb(2, 2):uint() do
    local number, value, _, rest = next_tlv(list)
    if not number then return found, false end
    found[number], list = value, rest
  end
  return found, true
end

local function columns(pinfo, air, words)
  pinfo.cols.protocol = "WiMAX"
  local way = ({downlink = "DL ", uplink = "UL "})[air.direction] or ""
  pinfo.cols.info = string.format("%sframe %s%s, %s ", way, air.frame or "?", air.rate and ", " .. air.rate or "", words)
  pinfo.cols.info:fence()
end

function proto.init() sublayers = {} end

function proto.dissector(tvb, pinfo, root)
  if tvb:len() < 4 then return 0 end
  local found, whole = tlvs_of_ethertype(tvb)
  local tree = root:add(proto, tvb())
  local air = {basic_cid_max = DEFAULT_BASIC_CID_MAX, contents = {}}
  if not whole then fault(tree, "TLVs of the Ethertype") end
  local of_burst = tree:add(proto, tvb(), "Burst")
  if size(found[TLV.frame]) == 3 then
    air.frame = found[TLV.frame]:uint()
    put(of_burst, "air.frame", found[TLV.frame], air.frame)
  end
  if size(found[TLV.burst]) == 1 then put(of_burst, "air.burst", found[TLV.burst], found[TLV.burst]:uint()) end
  if size(found[TLV.ofdm]) == OFDM_OCTETS then burst(of_burst, found[TLV.ofdm], air) end
  local words = pdus(tree, found[TLV.pdus], air)
  tree:append_text(string.format(", frame %s, %s, %s", air.frame or "?", air.direction or "either direction", words))
  columns(pinfo, air, words)
  for _, one in ipairs(air.contents) do
    -- An error of the packet's own dissector is no error of this one.
    local whole_packet, why = pcall(function() one[1]:call(one[2]:tvb(), pinfo, root) end)
    if not whole_packet then tree:add_proto_expert_info(inner, "the packet: " .. (tostring(why):gsub("^.*: ", ""))) end
  end
  return tvb:len()
end

DissectorTable.get("ethertype"):add(ETHERTYPE, proto)
