/** A number as a part of a symbol: the paper venue lists every name of letters that begins with ZT. */
export const lettersOf = (number: number): string =>
  String(number).replace(/\d/g, (digit) => 'ABCDEFGHIJ'[Number(digit)]!)
