export const CREATION = `Stores the signal and sees it through: its order is sent once, whatever fails on the way, and its exit is
placed after the entry has ended.

**Answers.** An immediate signal waits for the broker for up to two seconds: 201 when it took the order, 202 when that is
not known yet, 400 with the reason when it came to nothing. A scheduled one is answered 202, a pending one 201. Whatever
was answered 2xx is on record for good, but for a replacement that is not decided yet (\`replacement_undecided\`).

**Sent twice.** With a \`sourceId\` the second request is answered 200 with the first signal, and nothing else happens; if it was for another trade, \`message\` says so and the owner gets an alert. Without one, every request is a new signal and a new order, unless the owner of the token takes equal bodies within 30 seconds for one (\`mergesRepeats\`): the others are answered 200 with the first signal and the advisory \`repeated_body\`. A \`sourceId\` belongs to one account; rejected, cancelled and
failed signals set it free once none of their orders can work. With \`replaceExisting\` the new signal takes the place of the one that holds it: an order that
works unfilled is cancelled at the broker first, and once anything has filled the replacement is refused (\`REPLACE_REFUSED_FILLED\`). A signal that a newer one replaces before its own sender is answered was created all the
same: 201 with status \`cancelled\`, so that nobody sends it again and replaces the newer one.

**Several accounts.** \`accountIds\` in the place of \`accountId\` sends a signal for each, in a size of its own where you say so. All are stored
before the first is sent, and stand together as a group (\`groupId\`). An account that refuses its signal holds up no other: \`signals\` tells how it
went for each. \`sourceId\` is then the name of the group, for ever: sent again, it is answered 200 with the signals that are there. Where every
account refuses, nothing is stored and the name stays free.

**Fields that belong together.** Prices that the order type does not use are refused, not ignored. \`scheduledProcessAt\`
goes with \`scheduled\` alone, \`expiresAt\` with \`gtd\` alone. Local times need \`timezone\` and must exist in it: the hour
that a clock change leaves out is a fault, one that happens twice is taken as the first, with an advisory. Exit fields
belong to \`openLong\` and \`openShort\`; each trigger takes its own field and no other. A \`moc\` exit is always \`cls\`. All
faults are named in one answer.

**Advisories** tell what a sender should know of a signal that is accepted all the same, such as
\`exit_rule_tif_may_not_terminate\`, \`source_id_payload_mismatch\`, \`quantity_reduced_to_position\` or
\`quantity_reduced_to_buying_power\`.

**Too many at once.** A flood is not taken as a whole: a signal that gets no turn within a second is refused, 503
\`TOO_MANY_AT_ONCE\` or \`TOO_BUSY\`, and nothing of it is stored. Send it again after \`Retry-After\` seconds with the same
\`sourceId\`. A repetition of an accepted signal is answered 200 meanwhile too.

**Alerting services** may send the JSON as \`text/plain\`, numbers as text, and empty text in an optional field for leaving it out. A placeholder that was not replaced is a fault, in \`metadata\` an advisory; so is a \`sourceId\` of blanks, punctuation or \`null\`, \`undefined\`, \`NaN\`.`
