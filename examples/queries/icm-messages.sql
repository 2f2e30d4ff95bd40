-- How many messages between blockchains were delivered?
SELECT message_status, count(*) AS messages FROM rest_icm_messages_latest GROUP BY ALL ORDER BY ALL
