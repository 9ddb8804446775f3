import { belongsTo, hasMany, manyToMany, ODD, quoted, type Data } from './data.ts';

/** The music store of ../shared/data as it must be served, written down by hand. */
export const music: Data = {
  template: 'served_chinook',
  fields: {
    track: ['trackId', 'name', 'albumId', 'mediaTypeId', 'genreId', 'composer', 'milliseconds', 'bytes', 'unitPrice'],
    customer: [
      'customerId', 'firstName', 'lastName', 'company', 'address', 'city', 'state', 'country', 'postalCode', 'phone', 'fax', 'email',
      'supportRepId',
    ],
    invoice: [
      'invoiceId', 'customerId', 'invoiceDate', 'billingAddress', 'billingCity', 'billingState', 'billingCountry', 'billingPostalCode',
      'total',
    ],
    album: ['albumId', 'title', 'artistId'],
    employee: [
      'employeeId', 'lastName', 'firstName', 'title', 'reportsTo', 'birthDate', 'hireDate', 'address', 'city', 'state', 'country',
      'postalCode', 'phone', 'fax', 'email',
    ],
    artist: ['artistId', 'name'],
    genre: ['genreId', 'name'],
    media_type: ['mediaTypeId', 'name'],
    playlist: ['playlistId', 'name'],
    invoice_line: ['invoiceLineId', 'invoiceId', 'trackId', 'unitPrice', 'quantity'],
  },
  relations: {
    track: {
      album: belongsTo('album', 'albumId'), genre: belongsTo('genre', 'genreId'), invoice_line: hasMany('invoice_line', 'trackId'),
      mediaType: belongsTo('media_type', 'mediaTypeId'),
      playlist: manyToMany('playlist', 'trackId', 'playlistId'),
    },
    customer: { invoice: hasMany('invoice', 'customerId'), supportRep: belongsTo('employee', 'supportRepId', 'employeeId') },
    invoice: { customer: belongsTo('customer', 'customerId'), invoice_line: hasMany('invoice_line', 'invoiceId') },
    album: { artist: belongsTo('artist', 'artistId'), track: hasMany('track', 'albumId') },
    employee: { customer: hasMany('customer', 'supportRepId', 'employeeId'), employee: hasMany('employee', 'reportsTo',
      'employeeId'), reportsTo: belongsTo('employee', 'reportsTo', 'employeeId') },
    artist: { album: hasMany('album', 'artistId') },
    genre: { track: hasMany('track', 'genreId') },
    media_type: { track: hasMany('track', 'mediaTypeId') },
    playlist: { track: manyToMany('track', 'playlistId', 'trackId') },
    invoice_line: { invoice: belongsTo('invoice', 'invoiceId'), track: belongsTo('track', 'trackId') },
  },
  junction: 'playlist_track',
  numbers: ['milliseconds', 'bytes', 'unitPrice', 'total', 'quantity'],
  hidden: {
    track: 7, album: 5, customer: 11, invoice: 13, employee: 3, playlist: 4, playlist_track: 0, genre: 6, artist: 0, media_type: 0,
    invoice_line: 0,
  },
  rows: [
    'set standard_conforming_strings = on;',
    ...ODD.map((text, i) => `insert into track (name, album_id, media_type_id, genre_id, composer, milliseconds, bytes, unit_price) values
      (${quoted(text)}, ${i % 3 === 0 ? 'null' : 1 + i % 6}, ${1 + i % 5}, ${i % 2 === 0 ? 'null' : 1 + i % 20}, ${i % 4 === 0
        ? 'null'
        : quoted(ODD[(i * 7) % ODD.length] ?? '')}, ${i % 5}, ${i % 4 === 1 ? 'null' : i * 2}, ${i % 3}.${i % 2}0);`),
    ...ODD.map((text, i) => `insert into artist (name) values (${i % 9 === 0 ? 'null' : quoted(text)});`),
    ...ODD.slice(0, 12).map(text =>
      `insert into playlist (name) values (${quoted(text)}); insert into genre (name) values (${quoted(text)});`),
    `insert into playlist_track select p.playlist_id, t.track_id from playlist p, track t
      where t.track_id > 3503 and (p.playlist_id + t.track_id) % 5 = 0;`,
    'update customer set support_rep_id = null where customer_id % 6 = 0;',
    'update employee set reports_to = employee_id where employee_id = 8;',
  ],
  nullable: { collection: 'track', field: 'composer', order: 'milliseconds' },
};
