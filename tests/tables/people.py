"""First names and surnames of many countries, with some that are also words."""

from __future__ import annotations

from tables.lists import listed

FIRST_NAMES: tuple[str, ...] = tuple(
    listed(
        """
    Anna Ben Carla Emma Liam Olivia Noah Ava Lucas Sophie Hans Jürgen Greta Uwe Heike Pierre
    Amélie Chloé Luc Benoît José María Pilar Javier Lucía João Inês Tiago Beatriz Giulia Marco
    Chiara Luca Sven Astrid Lars Freja Mads Ingrid Bjørn Øyvind Aino Eero Päivi Matti Agnieszka
    Paweł Łukasz Kasia Jiří Zdeněk Tereza Ondřej Zoltán Eszter Ioana Mihai Ayşe Mehmet Çiğdem Emre
    Ivan Olga Dmitri Svetlana Oksana Taras Nikos Eleni Giorgos Haruka Kenji Yuki Sakura Wei Li
    Xiaoming Mei Jun Minjun Jiwoo Seoyeon Fatima Ahmed Omar Layla Khalid Budi Siti Dewi Agus Nguyen
    Linh Thanh Priya Rahul Anjali Vikram Chinedu Amara Kwame Zanele Thabo Siobhan Rhys Niamh Callum
    Ana Eva Ida Tom Tim Sam Max Kim Jo Al Ed Ruth Grace Peter Paul Julia Laura David Sarah Daniel
    Maria Thomas Nina Oskar Elena Sofia Hugo Felix Clara Simon Martha Isaac Rosa Diego
    Анна Иван Ольга Дмитрий 美咲 健太 伟 芳 민준 서연 محمد فاطمة Ελένη Νίκος"""
    )
)

SURNAMES: tuple[str, ...] = tuple(
    listed(
        """
    Smith Jones Taylor Brown Wilson Evans Thomas Roberts Johnson Walker Wright Hughes Edwards
    Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Dubois Lefèvre
    Moreau Girard Rousseau García Fernández López Muñoz Ibáñez Silva Santos Oliveira Ferreira
    Almeida Rossi Ferrari Bianchi Colombo Ricci Jansen Bakker Visser Mulder Andersson Lindqvist
    Björk Nielsen Sørensen Østergaard Hansen Haugen Korhonen Virtanen Mäkinen Kowalski Wójcik
    Zieliński Novák Dvořák Černý Nagy Kovács Szabó Popescu Ionescu Yılmaz Şahin Öztürk Ivanov
    Petrova Smirnov Shevchenko Papadopoulos Nikolaidis Tanaka Suzuki Watanabe Wang Zhang Chen Liu
    Kim Park Choi Haddad Mansour Suharto Wijaya Tran Pham Sharma Patel Singh Okafor Mensah Dlamini
    O'Brien McDonald Cohen Levi Rahman Hussain Garcia Nguyen Lee Clark Lewis Hall King Scott Green
    Baker Adams Nelson Hill Campbell Mitchell Carter Phillips Turner Parker Collins
    Иванов Петрова 田中 佐藤 王 张 김 박"""
    )
)

# Persons whose names are words that a lexicon of columns may know.
TRAPS: tuple[str, ...] = tuple(
    listed(
        """
    Price Page Land Day Young Long May Mark Grade Story Case Code Rate Note Field Bell Reader
    Judge Summer April June Rose Penny Short Small Sharp Wise Moody Best Bond Booker Cook Dean
    Marker Read Rank Word Street Banks Wood Stone Rivers Weeks Frank Grant Will Bill Art Chase Tag
    Noble Savage Proof"""
    )
)
