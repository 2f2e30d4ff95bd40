/**
 * `addr(text)`: an address as the tables of a lake have it, `0x` in lower case or bech32 without chain prefix. Other texts stay. See
 * `bareAddress` of src/decode.
 */
export const addressMacro = `CREATE OR REPLACE MACRO addr(address) AS
  CASE WHEN regexp_matches(address, '^([0-9A-Za-z]+-)?0[xX][0-9A-Fa-f]+$') THEN lower(regexp_replace(address, '^[0-9A-Za-z]+-', ''))
  ELSE regexp_replace(address, '^[0-9A-Za-z]+-([a-z][a-z0-9]*1[02-9ac-hj-np-z]{38})$', '\\1') END;`
