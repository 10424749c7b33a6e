-- Slots that an earlier release had read from free text compete with nothing any more: they are less sure than what a
-- statement of today needs (modules/facts/slots.py). What they decided, and can be reverted, stays.
UPDATE memories SET slot_confidence = min(slot_confidence, 0.5) WHERE slot_confidence < 1;

-- Slots that were given meet by their normal form: "session/timeout" is "session timeout".
UPDATE memories
SET subject = trim(replace(replace(replace(replace(replace(subject, '_', ' '), '/', ' '), '-', ' '), '  ', ' '), '  ', ' ')),
    attribute = trim(replace(replace(replace(replace(replace(attribute, '_', ' '), '/', ' '), '-', ' '), '  ', ' '), '  ', ' '))
WHERE slot_confidence = 1 AND (subject GLOB '*[-_/]*' OR attribute GLOB '*[-_/]*')
    AND trim(subject, ' -_/') <> '' AND trim(attribute, ' -_/') <> '';
